# SPDX-License-Identifier: MIT
"""gaps.py - reads and evaluates the output of the probe. README.md has the method."""
from dataclasses import dataclass
from statistics import mean, median

# A gap that begins so near to when the kernel's tick is due is that tick.
TICK_WINDOW_NS = 4000

# The median of fewer gaps is not meaningful.
FEWEST = 20

# A chunk of work that took so many times the usual was held up by another program.
HELD_UP = 1.25


def lines_of(text):
    """[(first word, [other words])]"""
    words = [line.split() for line in text.splitlines()]
    return [(word[0], word[1:]) for word in words if word]


@dataclass
class Gap:
    """A pass of the probe's loop that was interrupted."""

    us: float
    on_tick: bool  # by the kernel's own tick
    signalled: bool  # a signal handler ran
    switched: bool  # another program had the CPU meanwhile: its length says nothing
    samples: int  # so many samples were counted


def usual_us(gaps):
    undisturbed = [gap.us for gap in gaps if not gap.switched]
    return median(undisturbed) if undisturbed else 0


def mostly_on_tick(gaps):
    return sum(gap.on_tick for gap in gaps) * 2 > len(gaps)


class Gaps:
    """The output of `probe gaps`."""

    def __init__(self, text):
        lines = lines_of(text)
        value = dict(lines)
        self.clock, self.system_time = value["clock"]
        self.cpu_s = int(value["cpu_ns"][0]) / 1e9
        self.samples = int(value["samples"][0])
        self.tick_ns = int(value["tick_ns"][0])
        starts = [int(rest[0]) for word, rest in lines if word == "gap"]
        phases = [int(rest[0]) for word, rest in lines if word == "phase"]
        self.phase_ns = max(phases, default=0, key=lambda phase: self._count_near(starts, phase))
        self.gaps = [self._gap(*map(int, rest)) for word, rest in lines if word == "gap"]

    def _distance(self, a, b):
        """Returns the distance of two phases of the tick, in either direction."""
        apart = abs(a - b) % self.tick_ns
        return min(apart, self.tick_ns - apart)

    def _near(self, start_ns, phase_ns):
        return self._distance(start_ns, phase_ns) < TICK_WINDOW_NS

    def _count_near(self, starts, phase_ns):
        """A phase that was seen too late, for the tick was on another CPU, has few gaps near."""
        return sum(self._near(start_ns, phase_ns) for start_ns in starts)

    def _gap(self, start_ns, length_ns, signalled, switched, samples):
        on_tick = self._near(start_ns, self.phase_ns)
        return Gap(length_ns / 1000, on_tick, bool(signalled), bool(switched), samples)

    def plain_tick_us(self):
        """Returns the time of a tick of the kernel without signal or sample; 0 if there is none."""
        return usual_us([g for g in self.gaps if g.on_tick and not g.signalled and not g.samples])

    def interruptions(self):
        """The gaps that brought samples."""
        return [gap for gap in self.gaps if gap.samples]

    def mute_signals(self):
        """Signals that brought none, as of the timer beside perf's clock for user code only."""
        return [gap for gap in self.gaps if gap.signalled and not gap.samples]

    def rides_on_tick(self):
        """Returns True if samples come with interrupts that occur anyway."""
        return mostly_on_tick(self.interruptions())

    def tells_cost(self):
        """False: other programs have broken into nearly every interruption."""
        return sum(not gap.switched for gap in self.interruptions()) >= FEWEST

    def _added_us(self, gaps):
        """By one of these gaps, to what there would be anyway."""
        return usual_us(gaps) - (self.plain_tick_us() if mostly_on_tick(gaps) else 0)

    def interruption_us(self):
        return usual_us(self.interruptions())

    def added_us_a_sample(self):
        brought, mute = self.interruptions(), self.mute_signals()
        return self._added_us(brought) + self._added_us(mute) * len(mute) / len(brought)

    def interruptions_a_second(self):
        return len(self.interruptions()) / self.cpu_s

    def accounted(self, hz):
        """Share of the CPU time that the samples add up to."""
        return self.samples / (self.cpu_s * hz)


class Work:
    """The output of `probe work`."""

    def __init__(self, text):
        lines = lines_of(text)
        value = dict(lines)
        self.clock, self.system_time = value["clock"]
        self.interruptions = int(value["interruptions"][0])
        self.cpu_s = int(value["cpu_ns"][0]) / 1e9
        self.chunks_with = [float(rest[0]) for word, rest in lines if word == "with"]
        self.chunks_without = [float(rest[0]) for word, rest in lines if word == "without"]

    @staticmethod
    def _undisturbed_mean(chunks):
        usual = median(chunks)
        return mean(chunk for chunk in chunks if chunk < usual * HELD_UP)

    def interruptions_a_second(self):
        return self.interruptions / self.cpu_s

    def added_us_an_interruption(self):
        without = self._undisturbed_mean(self.chunks_without)
        added = self._undisturbed_mean(self.chunks_with) / without - 1
        return added / (1 + added) * 1e6 / self.interruptions_a_second()


class Sent:
    """The output of `probe sent`."""

    def __init__(self, text):
        lines = lines_of(text)
        self.clock, self.system_time = dict(lines)["clock"]
        self.warm_us, self.cold_us = (
            median(float(rest[0]) for word, rest in lines if word == label) / 1000 for label in ("warm", "cold")
        )
