/* SPDX-License-Identifier: MIT */
#include "attach/inject/pass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As laid out in the process's memory. */
struct message {
	int ends[2];
	struct msghdr header;
	struct iovec vector;
	char byte;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
};

/* Sends the descriptor by the process's end of the pair. */
static int send_by(int pidfd, int end, int descriptor)
{
	int socket = (int)syscall(SYS_pidfd_getfd, pidfd, end, 0), err = 0;
	char byte = 0;
	struct iovec vector = { &byte, 1 };
	struct message message = { .header = { .msg_iov = &vector, .msg_iovlen = 1 } };

	if (socket < 0)
		return -errno;
	message.control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(&message.control.head), &descriptor, sizeof(descriptor));
	message.header.msg_control = &message.control;
	message.header.msg_controllen = sizeof(message.control);
	if (sendmsg(socket, &message.header, 0) < 0)
		err = -errno;
	close(socket);
	return err;
}

/* Has the process receive it. Returns its number there. */
static int receive(struct remote *remote, uintptr_t scratch, struct message *message)
{
	const uintptr_t arguments[6] = { (uintptr_t)message->ends[1],
					 scratch + offsetof(struct message, header),
					 MSG_CMSG_CLOEXEC };
	long got;
	int descriptor;

	message->vector = (struct iovec){ (void *)(scratch + offsetof(struct message, byte)), 1 };
	message->header = (struct msghdr){
		.msg_iov = (struct iovec *)(scratch + offsetof(struct message, vector)),
		.msg_iovlen = 1,
		.msg_control = (void *)(scratch + offsetof(struct message, control)),
		.msg_controllen = sizeof(message->control),
	};
	if (remote_put(remote->pid, scratch, message, sizeof(*message)))
		return -EFAULT;
	got = remote_syscall(remote, SYS_recvmsg, arguments);
	if (got < 0)
		return (int)got;
	if (remote_get(remote->pid, scratch, message, sizeof(*message)) ||
	    message->control.head.cmsg_type != SCM_RIGHTS)
		return -EPROTO;
	memcpy(&descriptor, CMSG_DATA(&message->control.head), sizeof(descriptor));
	return descriptor;
}

static void close_there(struct remote *remote, int descriptor)
{
	const uintptr_t arguments[6] = { (uintptr_t)descriptor };

	remote_syscall(remote, SYS_close, arguments);
}

int pass_descriptor(struct remote *remote, uintptr_t scratch, int descriptor)
{
	const uintptr_t arguments[6] = { AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, scratch };
	struct message message = { 0 };
	long err = remote_syscall(remote, SYS_socketpair, arguments);
	int pidfd, there = -EFAULT;

	if (err < 0)
		return (int)err;
	if (remote_get(remote->pid, scratch, message.ends, sizeof(message.ends)))
		return -EFAULT;
	pidfd = (int)syscall(SYS_pidfd_open, remote->pid, 0);
	there = pidfd < 0 ? -errno : send_by(pidfd, message.ends[0], descriptor);
	if (!there)
		there = receive(remote, scratch, &message);
	if (pidfd >= 0)
		close(pidfd);
	close_there(remote, message.ends[0]);
	close_there(remote, message.ends[1]);
	return there;
}
