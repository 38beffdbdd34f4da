<?php
// SPDX-License-Identifier: MIT
//
// php_truth.php LIBRARY SECONDS - a program whose native stack says what its PHP stack is.
//
// Each function f_K is called through the native function shadow_K of LIBRARY (python_shadow.c): so a stack that has both can be
// checked. From f_K on, PHP calls PHP, through functions of its own in C as well: inline_K, then one of the leaves of that number.

const COUNT = 8;
const DEPTH = 6;

const SOURCE = <<<'CODE'
function spin_K($n) {
    $total = 0;
    for ($i = 0; $i < $n; $i++)
        $total += $i * $i % 7;
    return $total;
}

function number_K($n) {
    for ($i = 0; $i < $n; $i++)
        yield spin_K($i);
}

function delegate_K($n) {
    yield from number_K($n);
}

function leaf_generator_K($n) {
    $total = 0;
    foreach (delegate_K($n) as $value)
        $total += $value;
    return $total;
}

function compare_K($a, $b) {
    spin_K(5);
    return $a <=> $b;
}

function leaf_sorted_K($n) {
    $list = range($n, 1);
    usort($list, 'compare_K');
    return count($list);
}

function raise_K($n) {
    if ($n)
        raise_K($n - 1);
    throw new RuntimeException('raised');
}

function leaf_raised_K($n) {
    try {
        raise_K($n);
    } catch (RuntimeException $e) {
        return spin_K($n);
    }
}

class Made_K {
    function __construct($n) { $this->value = spin_K($n); }
    function __toString(): string { return (string)spin_K(3); }
    function __destruct() { spin_K(2); }
    public $value;
}

function leaf_made_K($n) {
    return strlen(implode(',', [new Made_K($n), new Made_K(2)]));
}

function fibered_K($n) {
    while (true) {
        spin_K($n);
        Fiber::suspend();
    }
}

function leaf_fiber_K($n) {
    static $fiber;
    if (!$fiber) {
        $fiber = new Fiber('fibered_K');
        $fiber->start($n);
    }
    $fiber->resume();
}

function inline_K($depth) {
    go_on($depth);
    leaf_generator_K(8);
    leaf_sorted_K(8);
    leaf_raised_K(8);
    leaf_made_K(8);
    leaf_fiber_K(30);
}

function f_K($depth) {
    inline_K($depth);
    return 0;
}
CODE;

function go_on($depth) {
    if ($depth)
        call(mt_rand(0, COUNT - 1), $depth - 1);
}

function call($number, $depth) {
    global $shadow, $callbacks;
    $name = "shadow_$number";
    $shadow->$name($callbacks->f[$number], $depth);
}

function cpu() {
    $used = getrusage();
    return $used['ru_utime.tv_sec'] + $used['ru_utime.tv_usec'] / 1e6;
}

function main($library, $seconds) {
    global $shadow, $callbacks;
    $declared = '';
    for ($number = 0; $number < COUNT; $number++) {
        eval(str_replace('_K', "_$number", SOURCE));
        $declared .= "int shadow_$number(int (*callback)(int), int depth);\n";
    }
    $shadow = FFI::cdef($declared, $library);
    $callbacks = $shadow->new('struct { int (*f[' . COUNT . '])(int); }');
    for ($number = 0; $number < COUNT; $number++)
        $callbacks->f[$number] = "f_$number";
    mt_srand(1);
    $started = cpu();
    while (cpu() - $started < $seconds)
        call(mt_rand(0, COUNT - 1), DEPTH);
}

main($argv[1], (float)$argv[2]);
