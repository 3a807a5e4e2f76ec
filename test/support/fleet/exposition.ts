/** A strict reader of Prometheus' text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Throws for anything that the format does not allow, or that a Prometheus server would refuse. */
export function parseExposition(text: string): {
  readonly samples: readonly Sample[];
  readonly families: readonly string[];
} {
  if (!text.endsWith("\n")) throw new Error("The last line has no end");
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (\S.*)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (help) {
      if (helped.has(help[1]!)) throw new Error(`Second help: ${line}`);
      helped.add(help[1]!);
    } else if (type) {
      if (types.has(type[1]!) || !helped.has(type[1]!)) throw new Error(`Wrong type: ${line}`);
      current = type[1]!;
      types.set(current, type[2]!);
    } else {
      const sample = parseSample(line);
      const suffixes = types.get(current) === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      if (!suffixes.some((suffix) => sample.name === current + suffix))
        throw new Error(`Not a sample of ${current}: ${line}`);
      if (types.get(current) === "counter" && (!current.endsWith("_total") || sample.value < 0))
        throw new Error(`Not a counter: ${line}`);
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (seen.has(key)) throw new Error(`Twice: ${line}`);
      seen.add(key);
      samples.push(sample);
    }
  }
  return { samples, families: [...types.keys()] };
}

function parseSample(line: string): Sample {
  const [, name, all, value] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/.exec(
      line,
    ) ?? [];
  if (name === undefined) throw new Error(`Not a sample: ${line}`);
  const pairs = [...(all ?? "").matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"/g)];
  const labels = Object.fromEntries(pairs.map(([, label, text]) => [label!, withoutEscapes(text!)]));
  if (Object.keys(labels).length !== pairs.length) throw new Error(`A label twice: ${line}`);
  return { name, labels, value: Number(value!.replace("Inf", "Infinity")) };
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(["\\n])/g, (_, character: string) => (character === "n" ? "\n" : character));
}
