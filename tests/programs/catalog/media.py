# SPDX-License-Identifier: MIT
"""media.py - pictures and films: vector code, threads, plugins that are opened at run time."""
from program import Program


class Imagemagick(Program):
    name = "imagemagick"
    what = "convert: a picture made, blurred, turned, drawn on, written as PNG, JPEG and GIF"
    packages = ("imagemagick",)
    version_command = ("convert", "-version")
    objects = ("libMagickCore",)
    libraries = ("libc.so", "libMagickCore")

    def command(self, given):
        return ["sh", "-c", "set -e; "
                "convert -seed 7 -size 640x480 plasma:fractal -strip +set date:create +set date:modify "
                "-define png:exclude-chunks=date,tIME a.png; "
                "convert a.png -blur 0x4 -rotate 17 -resize 75% -strip -quality 80 b.jpg; "
                "convert a.png b.jpg -resize 120x90! -colors 64 -strip c.gif; "
                "convert a.png -fill red -draw 'circle 200,200 250,250' -sharpen 0x2 -strip gray:d.raw; "
                "compare -metric RMSE a.png a.png null: ; identify -format '%m %w %h %#\n' a.png b.jpg c.gif; "
                "convert nothing.png e.png || echo status $?"]


class Ffmpeg(Program):
    name = "ffmpeg"
    what = "a test film of 4 seconds made, coded as MPEG-4 by 2 threads and as H.264, and decoded again"
    packages = ("ffmpeg",)
    version_command = ("ffmpeg", "-version")
    objects = ("libavcodec",)
    libraries = ("libc.so", "libavcodec.so")

    def command(self, given):
        quiet = "ffmpeg -nostdin -loglevel error -bitexact -threads 2"
        film = "-f lavfi -i testsrc2=size=320x240:rate=25:duration=4 -f lavfi -i sine=duration=4"
        exact = "-bitexact -flags:v +bitexact -fflags +bitexact"
        return ["sh", "-c", f"set -e; {quiet} {film} {exact} -c:v mpeg4 -threads 2 -c:a flac a.mkv; "
                f"{quiet} {film} {exact} -c:v libx264 -preset fast -threads 1 -c:a aac b.mp4; "
                f"{quiet} -i a.mkv -f framemd5 - | cksum; {quiet} -i b.mp4 -vf scale=160:-1 -f framemd5 b.md5; "
                f"{quiet} -i nothing.mkv c.mkv || echo status $?"]
