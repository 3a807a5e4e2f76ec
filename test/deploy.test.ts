import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";

const folder = join(import.meta.dirname, "../deploy");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

describe("the Dockerfile", () => {
  const lines = read("Dockerfile")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const stages = lines.join("\n").split(/^(?=FROM )/m);
  const last = stages.at(-1)!;

  it("consists of instructions that Docker knows", () => {
    for (const line of lines)
      expect(line).toMatch(/^(?:FROM|RUN|COPY|ENV|USER|WORKDIR|VOLUME|EXPOSE|STOPSIGNAL|ENTRYPOINT|CMD) \S/);
  });

  it("pins the major version of its base, names no host of images, and builds in stages", () => {
    const bases = lines.filter((line) => line.startsWith("FROM "));
    expect(bases.length).toBe(3);
    for (const base of bases) expect(base).toMatch(/^FROM node:\d+-bookworm-slim(?: AS \w+)?$/);
    expect(last).not.toMatch(/npm ci|npm pack|COPY \. /);
  });

  it("ends as a user without rights, by number, after everything that needs root", () => {
    expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(last.slice(last.indexOf("\nUSER "))).not.toMatch(/^(?:RUN|COPY) /m);
  });

  it("starts in exec form behind an init, so that SIGTERM reaches the worker", () => {
    const command = (name: string): unknown =>
      JSON.parse(new RegExp(`^${name} (.*)$`, "m").exec(last)?.[1] ?? "");
    expect(command("ENTRYPOINT")).toEqual(["/usr/bin/tini", "--", "toolcrib", "fleet", "work"]);
    expect(command("CMD")).toEqual(["--metrics-port", "9464", "--metrics-host", "0.0.0.0"]);
  });

  it("leaves no package lists behind, runs no install scripts, and holds no secrets", () => {
    expect(last).toContain("--no-install-recommends");
    expect(last).toContain("rm -rf /var/lib/apt/lists/*");
    for (const line of lines.filter((text) => /npm (?:ci|install)/.test(text)))
      expect(line).toContain("--ignore-scripts");
    expect(lines.join("\n")).not.toMatch(/(?:KEY|TOKEN|PASSWORD|SECRET)=|curl|wget|sudo|:latest/i);
  });

  it("installs the versions of bullmq and pg that the tests use", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(folder, "../package.json"), "utf8"));
    for (const name of ["bullmq", "pg"])
      expect(lines.join("\n")).toContain(`${name}@${devDependencies[name]}`);
  });
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: a manifest has any fields; the test names those that matter.
  readonly spec: any;
}

function manifests(name: string): readonly Manifest[] {
  return parseAllDocuments(read(name), { strict: true, uniqueKeys: true }).map((document) => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    return document.toJS() as Manifest;
  });
}

describe("the Kubernetes manifests", () => {
  const [workers] = manifests("kubernetes/workers.yaml") as [Manifest];
  const scaling = manifests("kubernetes/scaling.yaml");
  const pod = workers.spec.template.spec;
  const [container] = pod.containers;

  it("deploy workers that match their selector and their image's version", () => {
    expect([workers.apiVersion, workers.kind]).toEqual(["apps/v1", "Deployment"]);
    expect(workers.spec.template.metadata.labels).toMatchObject(workers.spec.selector.matchLabels);
    const { version } = JSON.parse(readFileSync(join(folder, "../package.json"), "utf8"));
    expect(container.image).toBe(`toolcrib-worker:${version}`);
  });

  it("give workers time to drain", () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(3_600);
    expect(workers.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
  });

  it("run without root, capabilities, a service account or a writable root", () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  it("take secrets by reference only", () => {
    for (const variable of container.env) {
      expect(variable).not.toHaveProperty("value");
      expect(variable.valueFrom.secretKeyRef).toMatchObject({
        name: expect.any(String),
        key: expect.any(String),
      });
    }
    for (const name of ["workers", "scaling"])
      expect(read(`kubernetes/${name}.yaml`)).not.toMatch(/postgres(?:ql)?:\/\/|sk-|kind: Secret$/m);
  });

  it("mount a volume wherever the worker writes, and limit what it uses", () => {
    expect(container.volumeMounts.map(({ name }: { name: string }) => name).sort()).toEqual(
      pod.volumes.map(({ name }: { name: string }) => name).sort(),
    );
    for (const { emptyDir } of pod.volumes) expect(emptyDir.sizeLimit).toMatch(/^\d+Gi$/);
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  });

  it("probe the port that serves metrics, and never restart a worker for its database", () => {
    const port = container.ports.find(({ name }: { name: string }) => name === "metrics").containerPort;
    expect(container.args).toContain(`--metrics-port=${port}`);
    expect(container.readinessProbe.httpGet).toEqual({ path: "/healthz", port: "metrics" });
    expect(container.livenessProbe.httpGet).toEqual({ path: "/livez", port: "metrics" });
  });

  it("scale the deployment by the queue, one worker for its slots", () => {
    const [authentication, scaled] = scaling as [Manifest, Manifest];
    expect(scaling.map(({ kind }) => kind)).toEqual(["TriggerAuthentication", "ScaledObject"]);
    const [trigger] = scaled.spec.triggers;
    expect(scaled.spec.scaleTargetRef.name).toBe(workers.metadata.name);
    expect(trigger.authenticationRef.name).toBe(authentication.metadata.name);
    expect(container.args).toContain(`--slots=${trigger.metadata.targetQueryValue}`);
    expect(trigger.metadata.query).toMatch(/^SELECT count\(\*\) FROM toolcrib_fleet\.runs WHERE [^;]+$/);
  });
});
