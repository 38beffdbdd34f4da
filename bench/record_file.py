# SPDX-License-Identifier: MIT
"""record_file.py - how many bytes of a recording are in use; see src/recording/FORMAT.md."""
import struct
from dataclasses import dataclass

GRAIN, PACKED_GRAIN = 16384, 64
HEADER_END_AT, COMMAND_SIZE_AT, PACKED_AT, HEADER_BYTES = 24, 88, 160, 4280
MARK = 0x47455344
SEGMENT_BYTES = 64
HEADS = {2: 384, 4: 64}  # what follows the head of a PROCESS, and of a THREAD
FRAMES, SAMPLES = 9, 10
FRAMES_HEAD, FRAME = 24, 12
SAMPLES_HEAD, SAMPLE = 56, 8


@dataclass
class Used:
    samples: int = 0
    samples_ns: int = 0  # what they stand for
    frames: int = 0
    in_use: int = HEADER_BYTES  # bytes; and the command
    reserved: int = 0  # bytes of the file


def _number(data, at, form="<I"):
    return struct.unpack_from(form, data, at)[0]


def _count_item(data, at, kind, size, used):
    """Bytes of it that say something."""
    if kind == FRAMES:
        count = _number(data, at + 12)
        used.frames += count
        return FRAMES_HEAD + count * FRAME
    if kind == SAMPLES:
        weight_ns, count = _number(data, at + 20), _number(data, at + 28)
        used.samples += count
        for i in range(count):
            weight = _number(data, at + SAMPLES_HEAD + i * SAMPLE + 4, "<H")
            used.samples_ns += weight * weight_ns
        return SAMPLES_HEAD + count * SAMPLE
    return size


def _count_segment(data, at, end, used):
    kind = _number(data, at + 4)
    used.in_use += SEGMENT_BYTES + HEADS.get(kind, 0)
    at += SEGMENT_BYTES + HEADS.get(kind, 0)
    while at + 8 <= end and _number(data, at):
        size = _number(data, at + 4)
        used.in_use += _count_item(data, at, _number(data, at), size, used)
        at += size


def _whole(size, grain):
    return -(-size // grain) * grain


def used_bytes(path):
    with open(path, "rb") as file:
        data = file.read()
    used = Used(reserved=len(data))
    used.in_use += _number(data, COMMAND_SIZE_AT)
    packed, end = _number(data, PACKED_AT, "<Q"), min(len(data), _number(data, HEADER_END_AT, "<Q"))
    at = _whole(used.in_use, PACKED_GRAIN) if packed else GRAIN
    while at < end:
        size = PACKED_GRAIN if at < packed else GRAIN
        if _number(data, at) == MARK:
            size = _number(data, at + 8, "<Q")
            _count_segment(data, at, at + size, used)
        at += size
        if at >= packed:
            at = _whole(at, GRAIN)
    return used
