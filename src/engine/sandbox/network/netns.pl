# Holds the network of an instance: bubblewrap starts it in a network namespace of its own. It passes sockets of this
# namespace to Toolcrib by Node's channel between processes (child_process, NODE_HANDLE): first a listening one, then one
# for every request {"id":NUMBER,"port":PORT}, connected to a server inside. It ends when the channel is closed.
# Arguments: the number of the system call sendmsg, the port to listen on, and the addresses of this machine.
use strict;
# These are the numbers of Linux, because loading Socket would take longer than all the rest.
my ($INET, $INET6, $STREAM, $SOCKET, $SEND_TIMEOUT, $IN_PROGRESS) = (2, 10, 1, 1, 21, 115);
my ($SET_ADDRESS, $SET_MASK) = (0x8916, 0x891c);
my ($sendmsg, $port, @addresses) = @ARGV;
open(my $channel, "+<&=", $ENV{NODE_CHANNEL_FD}) or die "channel: $!\n";

sub on_loopback {
  my ($family, $port) = @_;
  return $family == $INET ? pack("S n C4 x8", $INET, $port, 127, 0, 0, 1) : pack("S n x4 x15 C x4", $INET6, $port, 1);
}

# The kernel wants three structures that point to each other: iovec, cmsghdr (SCM_RIGHTS) and msghdr.
my @passed;
sub pass {
  my ($type, $message, $handle) = @_;
  push @passed, $message;
  my $line = qq({"cmd":"NODE_HANDLE","type":"$type","msg":$message}\n);
  my $content = pack("P Q", $line, length $line);
  my $rights = pack("Q l l l x4", 20, 1, 1, fileno $handle);
  my $header = pack("x16 P Q P Q x8", $content, 1, $rights, length $rights);
  syscall($sendmsg + 0, fileno $channel, $header, 0) > 0 or die "sendmsg: $!\n";
}

# The machine's addresses mean this namespace inside, so that its name works there. Without the right to add them, they
# lead nowhere.
socket(my $settings, $INET, $STREAM, 0) or die "socket: $!\n";
for my $number (0 .. $#addresses) {
  my $request = sub { pack("a16 S x2 C4 x16", "lo:$number", $INET, split /\./, $_[0]) };
  ioctl($settings, $SET_ADDRESS, $request->($addresses[$number])) && ioctl($settings, $SET_MASK, $request->("255.255.255.255"));
}

socket(my $listener, $INET, $STREAM, 0) or die "socket: $!\n";
bind($listener, on_loopback($INET, $port)) or die "bind: $!\n";
listen($listener, 4096) or die "listen: $!\n";
pass("net.Server", qq({"pid":$$}), $listener);
close $listener;

while (<$channel>) {
  # Node confirms every socket, or reports that it had no descriptor left for it.
  if (/"NODE_HANDLE_(N?)ACK"/) {
    my $message = shift @passed;
    next if !$1;
    die "too many open files\n" if $message =~ /pid/;
    syswrite($channel, "$message\n");
    next;
  }
  my ($id, $wanted) = /^\{"id":(\d+),"port":(\d+)\}$/ or next;
  my $connected;
  for my $family ($INET, $INET6) {
    socket(my $socket, $family, $STREAM, 0) or next;
    # A server that is behind must not keep other requests waiting: Toolcrib waits for a connection in progress.
    setsockopt($socket, $SOCKET, $SEND_TIMEOUT, pack("q q", 0, 100_000));
    $connected = $socket, last if connect($socket, on_loopback($family, $wanted)) || $! == $IN_PROGRESS;
  }
  $connected ? pass("net.Socket", qq({"id":$id}), $connected) : syswrite($channel, qq({"id":$id}\n));
}
