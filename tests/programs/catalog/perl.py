# SPDX-License-Identifier: MIT
"""perl.py - closures, regular expressions, sort, fork and pipes, signals, die in eval, sockets, a sort of database."""
import os

from program import Program, write

SCRIPT = r"""
use strict; use warnings;
use POSIX qw(:sys_wait_h floor); use Socket; use Digest::MD5 qw(md5_hex); use Storable qw(freeze thaw);
use List::Util qw(sum shuffle max); use File::Temp qw(tempdir); use Time::HiRes qw(alarm sleep);
$| = 1;
my %count; my $text = join ' ', map { ($_ * 7919) % 1009 } 1 .. 60000;
$count{$1}++ while $text =~ /\b(\d+)\b/g;
my @top = (sort { $count{$b} <=> $count{$a} || $a <=> $b } keys %count)[0 .. 4];
print "top @top, md5 ", md5_hex($text), "\n";
my @sorted = sort { $a->{n} <=> $b->{n} } map { { n => ($_ * 31) % 5003, s => "x$_" } } 1 .. 20000;
print "sorted $sorted[0]{s} $sorted[-1]{s} ", sum(map { $_->{n} } @sorted), "\n";
my $again = thaw(freeze(\@sorted)); print "frozen ", scalar(@$again), "\n";
for my $i (1 .. 2000) { eval { die { code => $i } if $i % 2; 1 } or $count{died}++; }
print "died $count{died}\n";
my $caught = 0; local $SIG{ALRM} = sub { $caught++; die "alarm\n" };
eval { alarm 0.05; 1 while 1; }; print "alarm $caught $@";
for my $i (1 .. 20) {
    pipe(my $r, my $w) or die; my $pid = fork();
    if (!$pid) { close $r; print $w "child $i"; close $w; POSIX::_exit($i % 7); }
    close $w; my $said = <$r>; waitpid($pid, 0); print "$said ended ", $? >> 8, "; ";
}
print "\n";
my $out = `echo from a shell; exit 3`; print $out, "status ", $? >> 8, "\n";
open(my $sort, '|-', 'sort -rn > sorted.txt') or die; print $sort "$_\n" for 1 .. 1000; close $sort;
print "sort ", -s 'sorted.txt', "\n";
socketpair(my $one, my $two, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die;
if (!fork) { close $one; while (<$two>) { print $two scalar reverse("$_"), "\n"; last; } exit 0; }
close $two; syswrite $one, "hello\n"; my $back = join '', <$one>; wait; $back =~ s/\s+/ /g; print "back:$back\n";
sub deep { my $n = shift; no warnings 'recursion'; return $n ? 1 + deep($n - 1) : 0 } print "deep ", deep(20000), "\n";
my $p = fork; if (!$p) { kill KILL => $$; sleep 9 } waitpid $p, 0; print "killed by ", $? & 127, "\n";
exec 'sh', '-c', 'echo the end; exit 4';
"""


class Perl(Program):
    name = "perl"
    what = "a script: regular expressions, sort, die in eval, alarm, fork, pipes, sockets, deep recursion, exec"
    packages = ("perl",)
    version_command = ("perl", "-e", "print $^V")
    objects = ("perl",)
    quick = True

    def prepare(self, given):
        write(os.path.join(given, "script.pl"), SCRIPT)

    def command(self, given):
        return ["perl", os.path.join(given, "script.pl")]
