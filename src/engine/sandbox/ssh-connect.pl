# Connects its standard streams to a host, for ssh: through the proxy of the command, unless the host is inside.
# Arguments: the host and the port.
use strict;
# These are the numbers of Linux, because small installations of perl have no modules for the network.
my ($INET, $INET6, $STREAM) = (2, 10, 1);
my ($host, $port) = @ARGV;
my ($user, $proxy) = ($ENV{https_proxy} || "") =~ m{^http://(?:([^\@]*)\@)?([^/]+)};
my $is_inside = grep { $_ eq $host } split /,/, $ENV{no_proxy} || "";
my $is_direct = $is_inside || !defined $proxy;
my $socket = connected($is_direct ? ($host, $port) : $proxy =~ /^(.*):(\d+)$/);
if (!$is_direct) {
  my $target = $host =~ /:/ ? "[$host]:$port" : "$host:$port";
  my $right = defined $user ? "Proxy-Authorization: Basic " . base64($user) . "\r\n" : "";
  write_all($socket, "CONNECT $target HTTP/1.1\r\nHost: $target\r\n$right\r\n");
  my $answer = "";
  while ($answer !~ /\r\n\r\n$/) { sysread($socket, $answer, 1, length $answer) or last }
  if ($answer !~ m{^HTTP/1\.\d 200 }) {
    my ($reason) = $answer =~ m{^HTTP/1\.\d \d+ ([^\r\n]*)};
    sysread($socket, my $text, 4096);
    fail($text || $reason || "The proxy did not answer");
  }
}
my %to = (fileno(STDIN) => $socket, fileno($socket) => \*STDOUT);
my $wanted = "";
vec($wanted, $_, 1) = 1 for keys %to;
while (vec($wanted, fileno $socket, 1)) {
  select(my $readable = $wanted, undef, undef, undef);
  for my $from (grep { vec($readable, fileno $_, 1) } \*STDIN, $socket) {
    my $count = sysread $from, my $bytes, 65536;
    write_all($to{fileno $from}, $bytes) if $count;
    next if $count;
    vec($wanted, fileno $from, 1) = 0;
    shutdown $socket, 1 if $from != $socket;
  }
}

sub connected {
  my ($name, $number) = @_;
  my $failure = "Unknown host";
  for my $address (addresses($name, $number)) {
    socket(my $opened, unpack("S", $address), $STREAM, 0) or next;
    return $opened if connect($opened, $address);
    $failure = $!;
  }
  fail($failure);
}

# The direct hosts are names of this machine: of IPv6, only the loopback exists inside.
sub addresses {
  my ($name, $number) = @_;
  my $address = gethostbyname $name;
  my @found = defined $address ? pack("S n a4 x8", $INET, $number, $address) : ();
  push @found, pack("S n x4 x15 C x4", $INET6, $number, 1) if $name =~ /^(?:localhost|::1)$/;
  return @found;
}

sub fail {
  my $reason = $_[0] =~ s/\s+$//r;
  die "ssh: connect to host $host port $port: $reason\n";
}

sub write_all {
  my ($to, $bytes) = @_;
  for (my $sent = 0; $sent < length $bytes;) {
    $sent += syswrite($to, $bytes, length($bytes) - $sent, $sent) // exit 1;
  }
}

sub base64 {
  my $text = pack "u", $_[0];
  $text =~ s/^.//gm;
  $text =~ tr{` -_}{AA-Za-z0-9+/};
  $text =~ s/\n//g;
  my $filled = (3 - length($_[0]) % 3) % 3;
  return substr($text, 0, length($text) - $filled) . "=" x $filled;
}
