# SPDX-License-Identifier: MIT
"""openmpi.py - mpirun, which opens and closes dozens of plugins, and the processes that it starts."""
import os
import subprocess

from program import Program, write

SOURCE = r"""
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 18, STEPS = 30000000 };

int main(int argc, char **argv)
{
	int rank, size, token = 0;
	double part = 0, pi, *words = calloc(WORDS, sizeof(*words)), *sums = calloc(WORDS, sizeof(*sums));

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = rank; i < STEPS; i += size)
		part += 4.0 / (1 + ((i + 0.5) / STEPS) * ((i + 0.5) / STEPS));
	MPI_Allreduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < WORDS; i++)
			words[i] = rank + i % 7 + round;
		MPI_Allreduce(words, sums, WORDS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	for (int round = 0; round < 1000; round++) {
		if (rank == 0) {
			MPI_Send(&token, 1, MPI_INT, 1 % size, 0, MPI_COMM_WORLD);
			MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			token++;
			MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d processes, pi %.6f, sum %.0f, token %d\n", size, pi / STEPS, sums[WORDS - 1], token);
	MPI_Finalize();
	return 0;
}
"""


class OpenMpi(Program):
    name = "openmpi"
    what = "mpirun of 3 processes: sums over all of them, and a token in a ring"
    packages = ("openmpi-bin", "libopenmpi-dev")
    version_command = ("mpirun", "--version")
    objects = ("program", "libmpi.so", "libopen-pal.so")
    libraries = ("libc.so", "libmpi.so")

    def prepare(self, given):
        source = os.path.join(given, "program.c")
        write(source, SOURCE)
        subprocess.run(["mpicc", "-O1", source, "-o", os.path.join(given, "program"), "-lm"], check=True)

    def environment(self):
        # Processes that wait for each other would take each other's CPU on a small machine.
        return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,tcp"}

    def command(self, given):
        return ["mpirun", "--oversubscribe", "-n", "3", os.path.join(given, "program")]
