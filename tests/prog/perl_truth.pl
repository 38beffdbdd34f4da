# SPDX-License-Identifier: MIT
#
# perl_truth.pl LIBRARY SECONDS - a program whose native stack says what its Perl stack is.
#
# Each sub f_K is called through the native function shadow_K of LIBRARY (perl_shadow.c): so a stack that has both can be
# checked. From f_K on, Perl calls Perl, through functions of its own in C as well: inline_K, then one of the leaves of that number.
use strict;
use warnings;
use DynaLoader;
use List::Util qw(first);

my $COUNT = 8;
my $DEPTH = 6;
our $depth = 0;

my $SOURCE = <<'CODE';
use strict;
use warnings;

sub spin_K {
    my ($n) = @_;
    my $total = 0;
    for my $i (1 .. $n) { $total += $i * $i % 7 }
    return $total;
}

sub leaf_sorted_K { my @sorted = sort { spin_K(2); $a <=> $b } reverse 1 .. $_[0] }

sub by_K { eval { spin_K(3); die_K(1) if $b > 6 }; spin_K(2); $a <=> $b }

sub leaf_sorted_by_K { my @sorted = sort by_K reverse 1 .. $_[0] }

sub die_K {
    my ($n) = @_;
    die_K($n - 1) if $n > 0;
    die "died\n";
}

sub leaf_died_K {
    my ($n) = @_;
    eval { die_K($n) };
    spin_K($n);
}

{
    package Tied_K;
    sub TIESCALAR { my ($class, $n) = @_; return bless \$n }
    sub FETCH { my ($self) = @_; return eval { main::spin_K($$self) } + main::spin_K(2) }
}

sub leaf_tied_K {
    my ($n) = @_;
    tie my $tied, 'Tied_K', $n;
    return $tied + $tied;
}

{
    package Made_K;
    use overload '+' => \&add, 'bool' => sub { main::spin_K(4); 1 };
    sub new { my ($class, $n) = @_; return bless { n => main::spin_K($n) } }
    sub add { my ($self, $other) = @_; return main::spin_K($other) }
    sub DESTROY { my ($self) = @_; main::spin_K(6) }
}

sub leaf_made_K {
    my ($n) = @_;
    my $made = Made_K->new($n);
    return $made + $n if $made;
}

sub leaf_regex_K { return "abcbcd" =~ /bc(?{ spin_K(4) })d/ }

sub leaf_text_K { return eval 'spin_K(5)' }

sub leaf_first_K { my ($n) = @_; return first { spin_K(3); $_ > $n } 1 .. $n + 1 }

sub leaf_jump_K { goto &spin_K }

sub inline_K {
    go_on();
    leaf_sorted_K(8);
    leaf_sorted_by_K(8);
    leaf_died_K(8);
    leaf_tied_K(20);
    leaf_made_K(8);
    leaf_regex_K();
    leaf_text_K();
    leaf_first_K(6);
    leaf_jump_K(30);
}

sub f_K { inline_K(); return 0 }
CODE

sub go_on {
    return if $depth == 0;
    local $depth = $depth - 1;
    call(int rand $COUNT);
}

my @shadows;
sub call { $shadows[$_[0]]->() }

sub work {
    my ($seconds) = @_;
    my $end = (times)[0] + $seconds;
    while ((times)[0] < $end) {
        local $depth = $DEPTH;
        call(int rand $COUNT);
    }
}

my ($path, $seconds) = @ARGV;
my $library = DynaLoader::dl_load_file($path) or die DynaLoader::dl_error();
for my $number (0 .. $COUNT - 1) {
    (my $code = $SOURCE) =~ s/_K/_$number/g;
    eval "#line 1 \"truth_$number.pl\"\n$code; 1" or die $@;
    my $symbol = DynaLoader::dl_find_symbol($library, "shadow_$number") or die DynaLoader::dl_error();
    push @shadows, DynaLoader::dl_install_xsub("main::shadow_$number", $symbol);
}
work($seconds);
