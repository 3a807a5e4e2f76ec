import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../../test/support/fleet/free-port.ts";
import { certificate, certificateKey } from "../../../../test/support/network/certificate.ts";
import { firstLine, openTestNetwork } from "../../../../test/support/network/inside.ts";
import { echo, listen, listening } from "../../../../test/support/network/proxy-lab.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

const mayConnect = (host: string) => host.endsWith(".example") || host === "127.0.0.1";
const missing = ["bwrap", "perl", "curl"].filter((name) => spawnSync(name, ["--version"]).error);
const title = (about: string) => (missing.length > 0 ? `${about}: there is no ${missing}` : about);

/** A server on this port that answers with its name. */
const server = (name: string, port = 3000, host = "127.0.0.1") => [
  process.execPath,
  "-e",
  `require("node:http").createServer((_, answer) => answer.end("${name}")).listen(${port}, "${host}", () => console.log("up"))`,
];

describe.skipIf(missing.length > 0)(title("the network of an instance"), () => {
  it("lets every command reach the servers of the others, by every name of this machine", async () => {
    await using lab = openTestNetwork();
    const started = await lab.start(server("one", 3000, "0.0.0.0"));
    await firstLine(started);
    const names = ["localhost", "127.0.0.1", "0.0.0.0", hostname()];
    const ask = (options = {}) =>
      lab.bash(names.map((name) => `curl -sS http://${name}:3000/; echo`).join("\n"), options);
    const answered = { code: 0, stdout: "one\n".repeat(names.length), stderr: "", remarks: [] };
    expect([await ask(), await ask({ mayConnect: () => false })]).toEqual([answered, answered]);
    const fetch = `fetch("http://localhost:3000/").then((answer) => answer.text()).then(console.log)`;
    const fetched = await lab.start([process.execPath, "-e", fetch], { mayConnect: () => false });
    expect((await fetched.ended).stdout).toBe("one\n");
    started.child.kill("SIGKILL");
    await started.ended;
    expect((await lab.bash("curl -s http://localhost:3000/")).code).toBe(7);
    await firstLine(await lab.start(server("again")));
    expect((await lab.bash("curl -sS http://localhost:3000/")).stdout).toBe("again");
  });

  it("is another one than that of every other instance, and of this machine", async () => {
    await using one = openTestNetwork();
    await using other = openTestNetwork();
    await using outside = await listen((socket) => void socket.end("outside"));
    for (const [name, lab] of Object.entries({ one, other }))
      await firstLine(await lab.start(server(name, outside.port)));
    const ask = `curl -sS http://localhost:${outside.port}/`;
    expect([(await one.bash(ask)).stdout, (await other.bash(ask)).stdout]).toEqual(["one", "other"]);
  });

  it("is joined with a file system in which only the given directories can be written", async () => {
    await using folder = temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    for (const name of ["in", "out"]) mkdirSync(at(name));
    symlinkSync(at("out"), at("link"));
    await using lab = openTestNetwork();
    const { namespace } = await lab.network.join();
    const script = 'touch "$1/in/x"; touch "$1/out/x"; touch /dev/null; exec ls -l /proc/self/fd';
    const args = ["-c", script, "sh", folder.path];
    const run = (...writable: string[]) => {
      const joining = namespace.joining("/bin/sh", args, writable);
      return spawnSync(joining.file, joining.args, { cwd: "/", env: {}, encoding: "utf8" });
    };
    const refused = run(at("in"), at("link"));
    expect([refused.status === 0, refused.stdout, refused.stderr]).toEqual([
      false,
      "",
      `${at("link")} cannot be mounted: Too many levels of symbolic links\n`,
    ]);
    const ran = run(at("in"), at("missing"));
    expect([ran.status, ran.stderr]).toEqual([
      0,
      `touch: cannot touch '${at("out/x")}': Read-only file system\n`,
    ]);
    expect([readdirSync(at("in")), readdirSync(at("out"))]).toEqual([["x"], []]);
    expect(ran.stdout).not.toContain(folder.path);
  });

  it("lets curl reach allowed hosts by HTTP and HTTPS", async () => {
    await using plain = await listening(createHttpServer((_, response) => response.end("plain\n")));
    await using secure = await listening(
      createHttpsServer({ cert: certificate, key: certificateKey }, (_, answer) => answer.end("secure\n")),
    );
    await using lab = openTestNetwork();
    const script = `
      curl -sS http://plain.example:${plain.port}/
      curl -sSk https://secure.example:${secure.port}/
      curl -sS https://other.invalid/
      curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${plain.port}/ 2>/dev/null || echo "no other way"
      curl -sS http://127.0.0.1:${plain.port}/`;
    expect(await lab.bash(script, { mayConnect })).toEqual({
      code: 0,
      stdout: "plain\nsecure\nno other way\nplain\n",
      stderr: "curl: (56) CONNECT tunnel failed, response 403\n",
      remarks: ['refused other.invalid:443: to allow it, add the rule "allow connect other.invalid"'],
    });
  });

  it("prefers a server inside to one of this machine that a rule allows", async () => {
    await using outside = await listening(createHttpServer((_, response) => response.end("outside")));
    await using lab = openTestNetwork();
    const ask = () => lab.bash(`curl -sS http://127.0.0.1:${outside.port}/`, { mayConnect });
    const before = await ask();
    await firstLine(await lab.start(server("inside", outside.port)));
    expect([before.stdout, (await ask()).stdout]).toEqual(["outside", "inside"]);
  });

  it("lets Node's fetch reach allowed hosts", async () => {
    await using outside = await listening(createHttpServer((_, response) => response.end("fetched")));
    await using lab = openTestNetwork();
    const script = `console.log(await (await fetch("http://plain.example:${outside.port}/")).text())`;
    const inside = await lab.start([process.execPath, "--input-type=module", "-e", script], { mayConnect });
    expect(await inside.ended).toEqual({ code: 0, stdout: "fetched\n", stderr: "", remarks: [] });
  });

  it("transfers many megabytes unchanged, both ways at once", { tags: "slow" }, async () => {
    await using outside = await listen((socket) => void socket.pipe(socket));
    const script = `
      const sent = crypto.createHash("sha256"), got = crypto.createHash("sha256");
      const block = crypto.randomBytes(1 << 20);
      let left = ${rounds(20)};
      const send = () => {
        while (left-- > 0) { sent.update(block); if (!socket.write(block)) return socket.once("drain", send); }
        socket.end();
      };
      socket.on("data", (bytes) => got.update(bytes));
      socket.on("end", () => console.log(sent.digest("hex") === got.digest("hex")));
      send();`;
    expect(await tunnelled(script, outside.port)).toEqual(printed("true\n"));
  });

  it("keeps other connections running while one does not read", { tags: "slow" }, async () => {
    const flood = Buffer.alloc(1 << 20);
    await using outside = await listen((socket) => {
      const pour = () => {
        while (socket.writable && socket.write(flood));
      };
      socket.once("data", (first) => {
        if (first.toString() !== "flood") return void socket.end("quick");
        socket.on("drain", pour);
        pour();
      });
    });
    const script = `
      socket.pause();
      socket.write("flood");
      for (let count = 0; count < 20; count++) {
        const other = await tunnel();
        other.write("other");
        for await (const bytes of other) console.log(String(bytes));
      }
      process.exit();`;
    expect(await tunnelled(script, outside.port)).toEqual(printed("quick\n".repeat(20)));
  });

  it("serves hundreds of separate connections at once", { tags: "slow" }, async () => {
    const count = 300;
    await using outside = await echo();
    const script = `
      const ask = async (number) => {
        const one = await tunnel();
        one.end(String(number));
        let all = "";
        for await (const bytes of one) all += bytes;
        return all === String(number);
      };
      const answers = await Promise.all(Array.from({ length: ${count} }, (_, number) => ask(number)));
      console.log(answers.filter(Boolean).length);
      process.exit();`;
    expect(await tunnelled(script, outside.port)).toEqual(printed(`${count}\n`));
  });

  it("leaves the command no extra descriptor, no variable and no extra process", async () => {
    await using lab = openTestNetwork();
    const script =
      "ls /proc/self/fd | grep -c . ; env | grep -ci 'proxy\\|NODE_'; set -- /proc/[0-9]*; echo $#";
    const bubblewrap = "bwrap";
    const bare = spawnSync(
      bubblewrap,
      [..."--dev-bind / / --proc /proc --unshare-all -- bash --norc -c".split(" "), script],
      { env: { PATH: process.env.PATH }, encoding: "utf8" },
    );
    expect((await lab.bash(script)).stdout).toBe(bare.stdout);
  });
});

describe.skipIf(missing.length > 0)(title("connect"), () => {
  it.each(["127.0.0.1", "::1", "0.0.0.0"])("reaches a server inside on %s", async (host) => {
    await using lab = openTestNetwork();
    await firstLine(await lab.start(server("inside", 3000, host)));
    expect([await get(lab.network.connect(3000)), await lab.network.connect(3001)]).toEqual([
      "inside",
      undefined,
    ]);
  });

  it("does not wait for a server that accepts no connection", async () => {
    await using lab = openTestNetwork();
    const script = `
      use Socket; socket(my $s, AF_INET, SOCK_STREAM, 0); bind($s, sockaddr_in(3000, INADDR_LOOPBACK)); listen($s, 0);
      $| = 1; print "up\\n"; sleep 60`;
    await firstLine(await lab.start(["perl", "-e", script]));
    await firstLine(await lab.start(server("other", 3001)));
    const waiting = await Promise.all([1, 2, 3, 4].map(() => lab.network.connect(3000)));
    expect(await get(lab.network.connect(3001))).toBe("other");
    for (const socket of waiting) socket?.destroy();
  });

  it("returns nothing before the first command and after the end", async () => {
    const lab = openTestNetwork();
    expect(await lab.network.connect(3000)).toBeUndefined();
    await firstLine(await lab.start(server("inside")));
    await lab[Symbol.asyncDispose]();
    expect(await lab.network.connect(3000)).toBeUndefined();
  });
});

describe.skipIf(missing.length > 0)(title("an exposed port"), () => {
  it("leads from this machine's loopback to a server inside, while there is one", async () => {
    const port = await freePort();
    await using lab = openTestNetwork({ exposed: [port] });
    const ask = async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return get(Promise.resolve(socket)).catch(({ code }) => code);
    };
    await lab.bash(":");
    const before = await ask();
    await firstLine(await lab.start(server("inside", port)));
    expect([before, await ask()]).toEqual(["ECONNRESET", "inside"]);
  });

  it("is reported when another program uses it, and the command runs", async () => {
    await using taken = await listen(() => {});
    await using lab = openTestNetwork({ exposed: [taken.port] });
    expect([(await lab.bash("echo ran")).remarks, (await lab.bash("echo ran")).remarks]).toEqual([
      [
        `Port ${taken.port} is not exposed on this machine: listen EADDRINUSE: address already in use 127.0.0.1:${taken.port}`,
      ],
      [],
    ]);
  });
});

describe.skipIf(missing.length > 0)(title("an attack on the network"), () => {
  /** Runs a request through the proxy with this secret, and returns the status. */
  const status = (variable: string, port: number) =>
    `curl -s -o /dev/null -w '%{http_code}\\n' -x "${variable}" http://plain.example:${port}/`;

  it("without a secret, or with a made-up one, connects to no host", async () => {
    await using outside = await listening(createHttpServer((_, response) => response.end("reached")));
    await using lab = openTestNetwork();
    const ask = (login: string) => status(`http://${login}127.0.0.1:61080`, outside.port);
    // A command with grants runs meanwhile.
    await lab.start(["sleep", "60"], { mayConnect: () => true });
    const { stdout } = await lab.bash([ask(""), ask("toolcrib:@"), ask("toolcrib:0000@")].join("\n"));
    expect(stdout).toBe("407\n407\n407\n");
  });

  it("uses the rules of the secret's own command only, and none once that has ended", async () => {
    await using outside = await listening(createHttpServer((_, response) => response.end("reached")));
    await using lab = openTestNetwork();
    const wide = await lab.start(["sleep", "60"], { mayConnect });
    const own = await lab.start(["sleep", "60"], { mayConnect: () => false });
    const ask = ({ grant }: typeof own) => status(grant!.variables.http_proxy!, outside.port);
    const script = [ask(own), ask(wide)].join("\n");
    const { stdout: during } = await lab.bash(script);
    wide.child.kill("SIGKILL");
    await wide.ended;
    expect([during, (await lab.bash(script)).stdout]).toEqual(["403\n200\n", "403\n407\n"]);
  });

  it("by a process that outlives its command gets nothing from later ones", async () => {
    await using outside = await listening(createHttpServer((_, response) => response.end("reached")));
    await using lab = openTestNetwork();
    // It keeps a connection to the proxy open, and its command's grant ends.
    const script = `
      const http = require("node:http"), agent = new http.Agent({ keepAlive: true });
      const ask = (next) => http.get({ agent, host: "127.0.0.1", port: 61080, path: "http://plain.example:${outside.port}/",
        headers: { "proxy-authorization": "Basic " + Buffer.from(new URL(process.env.http_proxy).href.slice(7).split("@")[0]).toString("base64") } },
        (answer) => { console.log(answer.statusCode); answer.resume().on("end", next); });
      ask(() => setInterval(() => ask(() => {}), 50));`;
    const left = await lab.start([process.execPath, "-e", script], { mayConnect });
    expect(await firstLine(left)).toBe("200");
    left.grant!.close();
    const later = await lab.start(["sleep", "60"], { mayConnect });
    expect(later.grant).toBeDefined();
    const lines = [];
    for (let count = 0; count < 5; count++) lines.push(await firstLine(left));
    // The first may have been answered before the grant was closed.
    expect(new Set(lines.slice(1).flatMap((line) => line.split("\n")))).toEqual(new Set(["407"]));
  });

  it("reaches no server of this machine, no metadata service and no resolver", async () => {
    let reached = 0;
    await using outside = await listen((socket) => {
      reached += 1;
      socket.end();
    });
    await using lab = openTestNetwork();
    const targets = [`127.0.0.1 ${outside.port}`, "169.254.169.254 80", "1.1.1.1 53", "127.0.0.53 53"];
    const direct = targets.map((target) => `(exec 3<>/dev/tcp/${target.replace(" ", "/")}) && echo reached`);
    const proxied = targets.map(
      (target) => `curl -s -o /dev/null -w '%{http_code} ' --noproxy '' http://${target.replace(" ", ":")}/`,
    );
    const script = `{ ${[...direct, "getent hosts example.com", ...proxied].join("\n")}\n} 2>/dev/null`;
    const { stdout } = await lab.bash(script, { mayConnect: () => false });
    expect([stdout, reached]).toEqual(["403 403 403 403 ", 0]);
  });

  it("finds no abstract unix socket of another instance or of this machine", async () => {
    const name = `toolcrib-${process.pid}-${Math.random()}`;
    const socket =
      'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0); my $name = pack("S a108", AF_UNIX, "\\0" . shift);';
    const perl = (script: string) => ["perl", "-e", socket + script, name];
    const connecting = perl('print connect($s, $name) ? "reached\\n" : "nothing\\n"');
    await using one = openTestNetwork();
    await using other = openTestNetwork();
    await firstLine(await one.start(perl('bind($s, $name); listen($s, 5); $| = 1; print "up\n"; sleep 60')));
    const outcomes = [one, other].map(async (lab) => (await (await lab.start(connecting)).ended).stdout);
    const here = spawnSync("perl", connecting.slice(1), { encoding: "utf8" });
    expect([...(await Promise.all(outcomes)), here.stdout]).toEqual(["reached\n", "nothing\n", "nothing\n"]);
  });

  it("that binds the port of the proxy fails, also on other addresses", async () => {
    await using lab = openTestNetwork();
    const script = `
      use Socket;
      for my $address ("127.0.0.1", "0.0.0.0") {
        socket(my $s, AF_INET, SOCK_STREAM, 0);
        setsockopt($s, SOL_SOCKET, $_, 1) for SO_REUSEADDR, SO_REUSEPORT;
        print bind($s, sockaddr_in(61080, inet_aton($address))) && listen($s, 5) ? "bound\\n" : "refused\\n";
      }`;
    const program = await lab.start(["perl", "-e", script]);
    expect((await program.ended).stdout).toBe("refused\nrefused\n");
  });

  it("that ends its holder only loses the network: the next command has a new one, and says so", async () => {
    await using lab = openTestNetwork();
    const started = await lab.start(server("old"), { mayConnect });
    await firstLine(started);
    const { namespace } = await lab.network.join();
    process.kill(Number(namespace.joining("", [], []).args.at(2)), "SIGKILL");
    while (namespace.isOpen) await setTimeout(5);
    const next = await lab.bash("curl -s http://localhost:3000/ || echo gone");
    expect(next).toEqual({
      code: 0,
      stdout: "gone\n",
      stderr: "",
      remarks: [
        "The network of earlier commands was lost, because the process that held it has ended. This command has a new one: start servers again.",
      ],
    });
    expect((await lab.bash("echo ran")).remarks).toEqual([]);
  });
});

/** Runs a script with a `socket` to the port on the other side; `tunnel()` opens more. */
async function tunnelled(script: string, port: number) {
  await using lab = openTestNetwork();
  const prelude = `
    import crypto from "node:crypto"; import net from "node:net"; import { once } from "node:events";
    const { username, password } = new URL(process.env.http_proxy);
    const login = Buffer.from(username + ":" + password).toString("base64");
    const tunnel = async () => {
      const socket = net.connect({ port: 61080, host: "127.0.0.1", allowHalfOpen: true });
      socket.write("CONNECT there.example:${port} HTTP/1.1\\r\\nProxy-Authorization: Basic " + login + "\\r\\n\\r\\n");
      await once(socket, "readable");
      const head = String(socket.read(39));
      if (!head.startsWith("HTTP/1.1 200")) throw new Error(head);
      return socket;
    };
    const socket = await tunnel();
  `;
  const program = [process.execPath, "--input-type=module", "-e", prelude + script];
  const { ended } = await lab.start(program, { mayConnect });
  return await ended;
}

function printed(stdout: string): object {
  return { code: 0, stdout, stderr: "", remarks: [] };
}

/** Requests a page by a connection, and returns its text. */
async function get(connecting: Promise<Socket | undefined>): Promise<string> {
  const socket = (await connecting)!;
  socket.write("GET / HTTP/1.0\r\n\r\n");
  return (await text(socket)).replace(/^.*\r\n\r\n/s, "");
}
