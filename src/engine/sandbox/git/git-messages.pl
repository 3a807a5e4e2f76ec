# Messages between the programs that run git for commands: a length, and a list of strings, with descriptors. %number has the numbers
# of the system calls.
use strict;

sub send_message {
  my ($socket, $fds, @strings) = @_;
  my $list = pack("(N/a*)*", @strings);
  my $bytes = pack("N", length $list) . $list;
  my $content = pack("P Q", $bytes, length $bytes);
  my $rights = @$fds ? pack("Q l l l*", 16 + 4 * @$fds, 1, 1, @$fds) : "";
  $rights .= "\0" x (-length($rights) % 8);
  my $header = pack("x16 P Q P Q x8", $content, 1, $rights, length $rights);
  my $sent = syscall($number{sendmsg}, fileno $socket, $header, 0x4000); # MSG_NOSIGNAL
  return 0 if $sent <= 0;
  while ($sent < length $bytes) { $sent += syswrite($socket, $bytes, length($bytes) - $sent, $sent) || ($! == 4 ? 0 : return 0) }
  return 1;
}

# Returns the descriptors and the strings; nothing at the end of the stream, or for a message that is too long.
sub receive_message {
  my ($socket) = @_;
  my ($length, $rights) = (scratch(4), scratch(64));
  my $content = pack("P Q", $length, 4);
  my $header = pack("x16 P Q P Q x8", $content, 1, $rights, 64);
  my $got;
  do { $got = syscall($number{recvmsg}, fileno $socket, $header, 0x40000100) } while $got < 0 && $! == 4; # MSG_CMSG_CLOEXEC, MSG_WAITALL
  my $space = unpack("x40 Q", $header);
  my ($size) = $space >= 16 ? unpack("Q", $rights) : 0;
  my @fds = $size > 16 ? unpack("x16 l" . ($size - 16) / 4, $rights) : ();
  my ($wanted, $text) = (unpack("N", $length), "");
  if ($got != 4 || $wanted > 16_000_000) { syscall($number{close}, $_) for @fds; return }
  while (length $text < $wanted) { sysread($socket, $text, $wanted - length $text, length $text) || ($! == 4 ? 0 : return) }
  return (\@fds, unpack("(N/a*)*", $text));
}

# A string into which the kernel can write.
sub scratch { my $bytes = "\0" x $_[0]; substr($bytes, 0, 1) = "\0"; $bytes }

# Makes the descriptors 0, 1 and 2 of this process.
sub take_descriptors { for (0 .. 2) { syscall($number{dup3}, $_[$_] + 0, $_, 0) == $_ or exit 126 } }

# The variables that git obeys and that git's programs pass on. Those by which libraries load code are not among them.
my $passed = qr/^(?:HOME|PATH|USER|LOGNAME|SHELL|EMAIL|TERM|COLUMNS|LINES|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|EDITOR|VISUAL|PAGER|LESS|LV|NO_COLOR|XDG_CONFIG_HOME|XDG_CACHE_HOME|SSH_ASKPASS|SSH_AUTH_SOCK|SSL_CERT_(?:FILE|DIR)|(?i:https?_proxy|all_proxy|no_proxy)|GIT_(?!TRACE|EXEC_PATH|TEMPLATE_DIR)\w+)$/;
