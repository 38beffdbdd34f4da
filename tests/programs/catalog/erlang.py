# SPDX-License-Identifier: MIT
"""erlang.py - the virtual machine of Erlang, whose compiled code has stacks of its own: a ring of processes, tables, ports."""
import os
import subprocess

from program import Program, write

SOURCE = r"""
-module(work).
-export([main/0, hop/1]).

hop(Next) ->
    receive
        {0, From} -> From ! done, hop(Next);
        {N, From} -> Next ! {N - 1, From}, hop(Next);
        stop -> ok
    end.

ring(Count, Hops) ->
    First = spawn(fun() -> receive {next, Next} -> hop(Next) end end),
    Last = lists:foldl(fun(_, Next) -> spawn(?MODULE, hop, [Next]) end, First, lists:seq(2, Count)),
    First ! {next, Last},
    First ! {Hops, self()},
    receive done -> Hops end.

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).

tables() ->
    Table = ets:new(table, [ordered_set, public]),
    Pids = [spawn_monitor(fun() -> [ets:insert(Table, {{P, I}, I * P}) || I <- lists:seq(1, 5000)] end) || P <- lists:seq(1, 4)],
    [receive {'DOWN', Ref, process, _, normal} -> ok end || {_, Ref} <- Pids],
    ets:foldl(fun({_, V}, Sum) -> Sum + V end, 0, Table).

crash() ->
    process_flag(trap_exit, true),
    Pid = spawn_link(fun() -> exit({on, purpose}) end),
    receive {'EXIT', Pid, Reason} -> Reason end.

server() ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listener),
    spawn(fun() -> {ok, S} = gen_tcp:accept(Listener), {ok, Data} = gen_tcp:recv(S, 100000), gen_tcp:send(S, erlang:md5(Data)) end),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}]),
    ok = gen_tcp:send(Socket, binary:copy(<<"0123456789">>, 10000)),
    {ok, Digest} = gen_tcp:recv(Socket, 16),
    binary:encode_hex(Digest).

main() ->
    io:format("ring ~p~n", [ring(500, 300000)]),
    io:format("fib ~p~n", [fib(29)]),
    io:format("deep ~p~n", [deep(2000000)]),
    io:format("tables ~p~n", [tables()]),
    io:format("crash ~p~n", [crash()]),
    io:format("caught ~p~n", [try 1 / map_size(maps:new()) catch error:E -> E end]),
    io:format("child ~p~n", [os:cmd("echo child; printf x | tr x y")]),
    io:format("server ~p~n", [server()]),
    io:format("big ~p~n", [erlang:phash2(lists:foldl(fun(I, P) -> I * P end, 1, lists:seq(1, 2000)))]),
    io:format("re ~p~n", [re:replace(lists:duplicate(1000, "ab1"), "\\d", "", [global, {return, binary}]) =:= binary:copy(<<"ab">>, 1000)]),
    io:format("packed ~p~n", [zlib:gunzip(zlib:gzip(binary:copy(<<"text">>, 100000))) =:= binary:copy(<<"text">>, 100000)]),
    ok = file:write_file("out", [io_lib:format("~p~n", [I * I]) || I <- lists:seq(1, 5000)]),
    halt(3).
"""


class Erlang(Program):
    name = "erlang"
    what = "erl: a ring of 500 processes, deep recursion, tables, a crash, a child, a socket, files"
    packages = ("erlang-base", "erlang-dev")
    version_command = ("dpkg-query", "-W", "-f", "${Version}", "erlang-base")
    objects = ("beam.smp",)
    libraries = ("libc.so",)
    has_strays = True  # erl_child_setup

    def prepare(self, given):
        write(os.path.join(given, "work.erl"), SOURCE)
        subprocess.run(["erlc", "-o", given, os.path.join(given, "work.erl")], check=True)

    def environment(self):
        return {"HOME": "/nonexistent", "ERL_CRASH_DUMP": "/dev/null"}

    def command(self, given):
        return ["erl", "-noshell", "-noinput", "+S", "2", "-pa", given, "-s", "work", "main"]
