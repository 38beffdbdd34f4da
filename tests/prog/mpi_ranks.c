/* SPDX-License-Identifier: MIT
 *
 * mpi_ranks.c SLOW [ROUNDS] - a parallel program, built by the tests with mpicc. All ranks work
 * equally in even_work(); the rank SLOW works ten times as long in uneven_work(), and the others
 * wait for it. Prints "rank N CPU_SECONDS" for each.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EVEN_S   0.02
#define UNEVEN_S 0.02
#define SLOWER   10

static volatile unsigned long sink;

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Written twice, so that the work of each is in its own function. */
#define WORK(name)                                                                                 \
	__attribute__((noinline)) static void name(double seconds)                                 \
	{                                                                                          \
		double end = cpu_s() + seconds;                                                    \
                                                                                                   \
		while (cpu_s() < end)                                                              \
			for (int i = 0; i < 100000; i++)                                           \
				sink += (unsigned long)i;                                          \
	}

WORK(even_work)
WORK(uneven_work)

int main(int argc, char **argv)
{
	int rank, slow = argc > 1 ? atoi(argv[1]) : -1, rounds = argc > 2 ? atoi(argv[2]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < rounds; i++) {
		even_work(EVEN_S);
		uneven_work(rank == slow ? SLOWER * UNEVEN_S : UNEVEN_S);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	printf("rank %d %.6f\n", rank, cpu_s());
	MPI_Finalize();
	return 0;
}
