import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { certificate, certificateKey } from "../../../test/support/network/certificate.ts";
import { startInside } from "../../../test/support/network/inside.ts";
import { echo, listen, listening } from "../../../test/support/network/proxy-lab.ts";
import { rounds } from "../../../test/support/rounds.ts";

const mayConnect = (host: string) => host.endsWith(".example") || host === "127.0.0.1";
const missing = ["bwrap", "perl", "curl"].filter((program) => spawnSync(program, ["--version"]).error);

describe.skipIf(missing.length > 0)(
  `openNetwork${missing.length > 0 ? `: there is no ${missing}` : ""}`,
  () => {
    it("lets curl reach allowed hosts by HTTP, HTTPS and SOCKS", async () => {
      await using plain = await listening(createHttpServer((_, response) => response.end("plain\n")));
      await using secure = await listening(
        createHttpsServer({ cert: certificate, key: certificateKey }, (_, response) =>
          response.end("secure\n"),
        ),
      );
      await using inside = bash(
        `
      curl -sS http://plain.example:${plain.port}/
      curl -sSk https://secure.example:${secure.port}/
      curl -sS --socks5-hostname 127.0.0.1:61080 http://plain.example:${plain.port}/
      curl -sS https://other.invalid/
      curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${plain.port}/ 2>/dev/null || echo "no other way"
      `,
        { mayConnect },
      );
      expect(await inside.ended).toEqual({
        code: 0,
        stdout: "plain\nsecure\nplain\nno other way\n",
        stderr: "curl: (56) CONNECT tunnel failed, response 403\n",
      });
      expect(await inside.network.close()).toEqual([
        'refused other.invalid:443: to allow it, add the rule "allow connect other.invalid"',
      ]);
    });

    it("lets Node's fetch reach allowed hosts", async () => {
      await using server = await listening(createHttpServer((_, response) => response.end("fetched")));
      const script = `console.log(await (await fetch("http://plain.example:${server.port}/")).text())`;
      await using inside = startInside([process.execPath, "--input-type=module", "-e", script], {
        mayConnect,
      });
      expect(await inside.ended).toEqual({ code: 0, stdout: "fetched\n", stderr: "" });
    });

    it("transfers many megabytes unchanged, both ways at once", { tags: "slow" }, async () => {
      await using server = await listen((socket) => void socket.pipe(socket));
      await using inside = node(
        `
      const sent = crypto.createHash("sha256"), got = crypto.createHash("sha256");
      const block = crypto.randomBytes(1 << 20);
      let left = ${rounds(20)};
      const send = () => {
        while (left-- > 0) { sent.update(block); if (!socket.write(block)) return socket.once("drain", send); }
        socket.end();
      };
      socket.on("data", (bytes) => got.update(bytes));
      socket.on("end", () => console.log(sent.digest("hex") === got.digest("hex")));
      send();
      `,
        server.port,
      );
      expect(await inside.ended).toEqual({ code: 0, stdout: "true\n", stderr: "" });
    });

    it("keeps other connections running while one does not read", { tags: "slow" }, async () => {
      const flood = Buffer.alloc(1 << 20);
      await using server = await listen((socket) => {
        const pour = () => {
          while (socket.writable && socket.write(flood));
        };
        socket.once("data", (first) => {
          if (first.toString() !== "flood") return void socket.end("quick");
          socket.on("drain", pour);
          pour();
        });
      });
      await using inside = node(
        `
      socket.pause();
      socket.write("flood");
      for (let count = 0; count < 20; count++) {
        const other = await tunnel();
        other.write("other");
        for await (const bytes of other) console.log(String(bytes));
      }
      process.exit();
      `,
        server.port,
      );
      expect(await inside.ended).toEqual({ code: 0, stdout: "quick\n".repeat(20), stderr: "" });
    });

    it("serves hundreds of separate connections at once", { tags: "slow" }, async () => {
      const count = 300;
      await using server = await echo();
      await using inside = node(
        `
      const ask = async (number) => {
        const one = await tunnel();
        one.end(String(number));
        let all = "";
        for await (const bytes of one) all += bytes;
        return all === String(number);
      };
      const answers = await Promise.all(Array.from({ length: ${count} }, (_, number) => ask(number)));
      console.log(answers.filter(Boolean).length);
      process.exit();
      `,
        server.port,
      );
      expect(await inside.ended).toEqual({ code: 0, stdout: `${count}\n`, stderr: "" });
    });

    it("makes programs wait when the relay has no descriptor left", { tags: "slow" }, async () => {
      await using server = await echo();
      const script = `
      import net from "node:net"; import { text } from "node:stream/consumers";
      const ask = (number) => {
        const socket = net.connect({ port: 61080, host: "127.0.0.1", allowHalfOpen: true });
        socket.end("CONNECT there.example:${server.port} HTTP/1.1\\r\\n\\r\\n" + number);
        return text(socket);
      };
      const answers = await Promise.all(Array.from({ length: 100 }, (_, number) => ask(number)));
      console.log(answers.every((answer, number) => answer.endsWith("established\\r\\n\\r\\n" + number)));
    `;
      await using inside = startInside([process.execPath, "--input-type=module", "-e", script], {
        mayConnect,
        descriptors: 40,
      });
      expect(await inside.ended).toEqual({ code: 0, stdout: "true\n", stderr: "" });
    });

    it("leaves the command no extra descriptor and no extra child", async () => {
      const script = String.raw`test -e /proc/self/fd/3 && echo descriptor; exec perl -e 'print wait, "\n"'`;
      await using inside = bash(script, { mayConnect });
      expect(await inside.ended).toEqual({ code: 0, stdout: "-1\n", stderr: "" });
    });

    it("passes the command its own Perl settings, and hides them from the relay", async () => {
      await using inside = startInside(["sh", "-c", 'echo "$PERL5OPT $LC_ALL $PERL_BADLANG"'], {
        mayConnect,
        env: { PERL5OPT: "-MNo::Such::Module", LC_ALL: "xx_YY" },
      });
      expect(await inside.ended).toEqual({ code: 0, stdout: "-MNo::Such::Module xx_YY \n", stderr: "" });
    });

    it("ends with the command, and returns its exit code", async () => {
      await using inside = startInside(["sh", "-c", "exit 7"], { mayConnect });
      expect(await inside.ended).toEqual({ code: 7, stdout: "", stderr: "" });
    });

    it("loses only the network when the command ends the relay", async () => {
      await using inside = bash(
        `
      until grep -qx "toolcrib relay" /proc/[0-9]*/comm 2>/dev/null; do sleep 0.01; done
      for process in $(grep -lx "toolcrib relay" /proc/[0-9]*/comm); do
        number=$(basename $(dirname $process))
        while kill -9 $number; do :; done 2>/dev/null
      done
      (exec 3<>/dev/tcp/127.0.0.1/61080) 2>/dev/null || echo "nobody there"
      `,
        { mayConnect },
      );
      expect(await inside.ended).toEqual({ code: 0, stdout: "nobody there\n", stderr: "" });
      expect([await inside.network.listening(), await inside.network.reach(80)]).toEqual([[], undefined]);
    });

    it("sets no proxy when no host may be reached", async () => {
      await using inside = bash(
        "env | grep -ci proxy; ls /proc/net/tcp >/dev/null && grep -c ' 0A ' /proc/net/tcp",
      );
      expect((await inside.ended).stdout).toBe("0\n0\n");
    });
  },
);

describe.skipIf(missing.length > 0)("reach", () => {
  it.each(["127.0.0.1", "::1", "0.0.0.0"])(
    "connects to a listener inside on %s",
    { tags: "slow" },
    async (address) => {
      const script = `
      const server = require("node:net").createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
      server.listen(0, "${address}", () => console.log(server.address().port));
    `;
      await using inside = startInside([process.execPath, "-e", script]);
      const port = Number(await firstLine(inside.child.stdout as Socket));
      const sent = randomBytes(5_000_000);
      const reached = (await inside.network.reach(port))!;
      expect([await inside.network.listening(), reached.host, await inside.network.reach(port)]).toEqual([
        [port],
        "127.0.0.1",
        reached,
      ]);
      expect(hash(await exchange(reached.port, sent))).toBe(hash(sent));
      await inside.network.close();
      await expect(exchange(reached.port, sent)).rejects.toThrow("ECONNREFUSED");
    },
  );

  it("picks another port when the port is taken, and returns undefined without a listener", async () => {
    await using taken = await listen((socket) => socket.end("outside"));
    const script = `
      require("node:net").createServer((socket) => socket.end("inside")).listen(${taken.port}, "127.0.0.1", () => console.log("up"));
    `;
    await using inside = startInside([process.execPath, "-e", script]);
    await firstLine(inside.child.stdout as Socket);
    expect(await inside.network.reach(taken.port === 1 ? 2 : 1)).toBeUndefined();
    const reached = (await inside.network.reach(taken.port))!;
    expect([reached.port === taken.port, (await exchange(reached.port, Buffer.alloc(0))).toString()]).toEqual(
      [false, "inside"],
    );
  });
});

function bash(
  script: string,
  options: Parameters<typeof startInside>[1] = {},
): ReturnType<typeof startInside> {
  return startInside(["bash", "--noprofile", "--norc", "-c", script], options);
}

/** Runs a script with a `socket` to the port on the other side; `tunnel()` opens more. */
function node(script: string, port: number): ReturnType<typeof startInside> {
  const prelude = `
    import crypto from "node:crypto"; import net from "node:net"; import { once } from "node:events";
    const tunnel = async () => {
      const socket = net.connect({ port: 61080, host: "127.0.0.1", allowHalfOpen: true });
      socket.write("CONNECT there.example:${port} HTTP/1.1\\r\\n\\r\\n");
      await once(socket, "readable");
      const head = String(socket.read(39));
      if (!head.startsWith("HTTP/1.1 200")) throw new Error(head);
      return socket;
    };
    const socket = await tunnel();
  `;
  return startInside([process.execPath, "--input-type=module", "-e", prelude + script], { mayConnect });
}

async function firstLine(stream: Socket): Promise<string> {
  return new Promise((resolve) => stream.once("data", (bytes) => resolve(bytes.toString().trim())));
}

async function exchange(port: number, bytes: Buffer): Promise<Buffer> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(bytes);
  return buffer(socket);
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
