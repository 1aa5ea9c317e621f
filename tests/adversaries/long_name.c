/* Sends to an address that is said to be longer than any, which the kernel cuts to size. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **words) {
  static struct sockaddr_in at[1000];
  int server = socket(AF_INET, SOCK_DGRAM, 0), client = socket(AF_INET, SOCK_DGRAM, 0), sent = 0;
  socklen_t size = sizeof *at;
  at->sin_family = AF_INET, at->sin_addr.s_addr = inet_addr("127.0.0.1");
  bind(server, (void *)at, size), getsockname(server, (void *)at, &size);
  struct mmsghdr messages[2] = {{{.msg_name = at, .msg_namelen = sizeof at}},
                                {{.msg_name = at, .msg_namelen = sizeof at}}};
  access("/kit-begin", F_OK);
  if (count < 2) return 2;
  if (!strcmp(words[1], "sendmsg")) sent = sendmsg(client, &messages[0].msg_hdr, 0) >= 0;
  else if (!strcmp(words[1], "sendmmsg")) sent = sendmmsg(client, messages, 2, 0) > 0;
  else sent = sendto(client, "", 0, 0, (void *)at, sizeof at) >= 0;
  if (sent) printf("harm connect 127.0.0.1:%d\n", ntohs(at->sin_port));
}
