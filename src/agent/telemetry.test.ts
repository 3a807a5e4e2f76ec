import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { INVALID_SPAN_CONTEXT, type Tracer, trace } from "@opentelemetry/api";
import { afterAll, expect, it } from "vitest";
import { sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import { startTelemetry } from "./telemetry.ts";

afterAll(() => trace.disable());

/** Only the names: test/telemetry compares whole spans, with the SDK of OpenTelemetry. */
it("starts a span for a turn, each reply and each call", async () => {
  const names: string[] = [];
  const tracer: Pick<Tracer, "startSpan"> = {
    startSpan: (name) => {
      names.push(name);
      return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as Tracer });
  const calls = [{ name: "file_read", input: { path: "a.txt" } }];
  const { session, close } = await sessionOnLoopback(
    [{ text: "Reading.", calls }, { text: "It says hello." }],
    {
      dialect: "toolcrib",
      files: { "a.txt": "hello\n" },
    },
  );
  const stop = await startTelemetry(session);
  await session.run("What does a.txt say?").result;
  stop();
  await close();
  expect(names).toEqual(["invoke_agent toolcrib", "chat gpt-5", "execute_tool file_read", "chat gpt-5"]);
});

it("names the package to install when it is missing", async () => {
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(name, context, next) {
        if (name === "@opentelemetry/api") throw new Error("Cannot find package");
        return next(name, context);
      },
    });
    const { startTelemetry } = await import(${JSON.stringify(join(import.meta.dirname, "telemetry.ts"))});
    const { code, message, hint } = await startTelemetry({ id: "s", model: { id: "m" }, on: () => {} }).catch((error) => error);
    console.log(JSON.stringify({ code, message, hint }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    env: {},
  });
  expect(JSON.parse(stdout)).toEqual({
    code: "unavailable",
    message: "Telemetry needs @opentelemetry/api, which is not installed",
    hint: "Run: npm install @opentelemetry/api",
  });
});
