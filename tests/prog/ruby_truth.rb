# SPDX-License-Identifier: MIT
#
# ruby_truth.rb LIBRARY SECONDS - a program whose native stack says what its Ruby stack is, in two threads.
#
# Each method f_K is called through the native function shadow_K of LIBRARY (python_shadow.c): so a stack that has both can be
# checked. From f_K on, Ruby calls Ruby, through methods of its own in C as well: inline_K, then one of the leaves of that number.
require "fiddle"

COUNT = 8
DEPTH = 6

SOURCE = <<'CODE'
def spin_K(n)
  total = i = 0
  while i < n
    total += i * i % 7
    i += 1
  end
  total
end

def leaf_sorted_K(n)
  (1..n).sort_by { |i| spin_K(i); -i }
end

def raise_K(n)
  raise_K(n - 1) if n > 0
  raise "raised"
end

def leaf_raised_K(n)
  raise_K(n)
rescue RuntimeError
  spin_K(n)
ensure
  spin_K(n)
end

class Made_K
  def initialize(n)
    @value = spin_K(n)
  end

  def <=>(other)
    spin_K(3)
  end
end

def leaf_made_K(n)
  [Made_K.new(n), Made_K.new(n)].min
end

def lazy_K(n)
  n.times { |i| yield spin_K(i) }
end

def leaf_yield_K(n)
  lazy_K(n) { |i| spin_K(5) }
end

define_method(:defined_K) { |n| spin_K(n) }

def leaf_sent_K(n)
  send(:defined_K, n) + method(:spin_K).call(n)
end

def fibered_K(n)
  loop do
    spin_K(n)
    Fiber.yield
  end
end

def leaf_fiber_K(n)
  fibers = Thread.current.thread_variable_get(:fibers)
  fiber = fibers[K] ||= Fiber.new { fibered_K(n) }
  fiber.resume
end

def inline_K(depth)
  go_on(depth)
  leaf_sorted_K(8)
  leaf_raised_K(8)
  leaf_made_K(8)
  leaf_yield_K(8)
  leaf_sent_K(20)
  leaf_fiber_K(30)
end

def f_K(depth)
  inline_K(depth)
  0
end
CODE

def go_on(depth)
  dispatch(rand(COUNT), depth - 1) if depth > 0
end

def dispatch(number, depth)
  SHADOWS[number].call(CALLBACKS[number], depth)
end

def main(seconds)
  Thread.current.thread_variable_set(:fibers, {})
  started = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
  dispatch(rand(COUNT), DEPTH) while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - started < seconds
end

def callback(number)
  Fiddle::Closure::BlockCaller.new(Fiddle::TYPE_INT, [Fiddle::TYPE_INT]) { |depth| send("f_#{number}", depth) }
end

library = Fiddle.dlopen(ARGV[0])
COUNT.times { |number| Object.class_eval(SOURCE.gsub("_K", "_#{number}").gsub("[K]", "[#{number}]"), "truth_#{number}.rb") }
SHADOWS = COUNT.times.map { |number| Fiddle::Function.new(library["shadow_#{number}"], [Fiddle::TYPE_VOIDP, Fiddle::TYPE_INT], Fiddle::TYPE_INT) }
CALLBACKS = COUNT.times.map { |number| callback(number) }
2.times.map { Thread.new { main(ARGV[1].to_f / 2) } }.each(&:join)
