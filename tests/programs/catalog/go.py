# SPDX-License-Identifier: MIT
"""go.py - a program of Go with C in it: calls both ways, signals of the runtime, and threads that it makes itself."""
import os
import subprocess

from program import Program, write

SOURCE = r"""
package main

/*
#cgo LDFLAGS: -lm
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
extern int compare(void *, void *);
extern void tell(int);
static int compare_by_go(const void *a, const void *b) { return compare((void *)a, (void *)b); }
static void sort_by_go(int *values, size_t n) { qsort(values, n, sizeof(*values), compare_by_go); }
static double work(int n) { double s = 0; for (int i = 1; i <= n; i++) s += sqrt(i); return s; }
static void *thread(void *arg) { for (int i = 0; i < 1000; i++) tell(i); return arg; }
static void from_thread(void) { pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0); }
*/
import "C"

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

var told int64

//export compare
func compare(a, b unsafe.Pointer) C.int { return *(*C.int)(a) - *(*C.int)(b) }

//export tell
func tell(i C.int) { atomic.AddInt64(&told, int64(i)) }

func panics() (what string) {
	defer func() { what = fmt.Sprint(recover()) }()
	var nothing *[4]int
	return fmt.Sprint(nothing[2])
}

func deep(n int) int {
	var room [64]int
	room[n%64] = n
	if n == 0 {
		return 0
	}
	return 1 + deep(n-1) + room[(n+1)%64]
}

func sums() float64 {
	var group sync.WaitGroup
	parts := make([]float64, 16)
	for i := range parts {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for round := 0; round < 200; round++ {
				parts[i] += float64(C.work(2000))
				runtime.Gosched()
			}
		}(i)
	}
	group.Wait()
	total := 0.0
	for _, part := range parts {
		total += part
	}
	return total
}

func main() {
	runtime.GOMAXPROCS(2)
	fmt.Printf("sums %.4f\n", sums())
	values := make([]C.int, 20000)
	for i := range values {
		values[i] = C.int(i * 7919 % 20011)
	}
	C.sort_by_go(&values[0], C.size_t(len(values)))
	fmt.Println("sorted", values[0], values[100], values[19999])
	C.from_thread()
	fmt.Println("told", told)
	fmt.Println("panic", panics())
	fmt.Println("deep", deep(100000))
	text := C.CString("text of C")
	fmt.Println(C.GoString(text), C.strlen(text))
	C.free(unsafe.Pointer(text))
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println("signal", <-caught)
	child := exec.Command("tr", "a-z", "A-Z")
	child.Stdin = bytes.NewBufferString("child\n")
	out, err := child.Output()
	fmt.Print(string(out), err, "\n")
	fmt.Println(exec.Command("sh", "-c", "exit 3").Run())
	addresses, err := net.LookupHost("localhost")
	fmt.Println(len(addresses) > 0, err)
	garbage := map[int][]byte{}
	for i := 0; i < 200000; i++ {
		garbage[i%1000] = make([]byte, 100+i%900)
	}
	runtime.GC()
	fmt.Println("garbage", len(garbage))
	panic("the end")
}
"""


class Cgo(Program):
    name = "cgo"
    what = "Go with C: 16 goroutines that call C, callbacks, a thread of C's, panics, signals, children"
    packages = ("golang-go", "gcc", "libc6-dev")
    version_command = ("go", "version")
    objects = ("work",)
    libraries = ("libc.so",)

    def prepare(self, given):
        write(os.path.join(given, "main.go"), SOURCE)
        env = {**os.environ, "GOCACHE": os.path.join(given, "cache"), "GO111MODULE": "off", "CGO_ENABLED": "1"}
        subprocess.run(["go", "build", "-o", "work", "main.go"], check=True, cwd=given, env=env)

    def command(self, given):
        return [os.path.join(given, "work")]
