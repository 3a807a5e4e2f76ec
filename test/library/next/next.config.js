// As docs/deploying.md says.
// biome-ignore lint/style/noDefaultExport: Next.js reads it
export default {
  output: "standalone",
  serverExternalPackages: ["toolcrib"],
  outputFileTracingIncludes: { "/**": ["./node_modules/toolcrib/**", "./node_modules/@vscode/**"] },
  // Default: the outermost folder with a lock file.
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
};
