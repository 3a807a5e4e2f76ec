import { readFileSync } from "node:fs";
import { join } from "node:path";
import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";
import packageDescription from "../package.json" with { type: "json" };
import { readPages } from "./pages.ts";
import { groupPages } from "./sidebar.ts";

// Set by build.ts. The path of the address is the folder of the server that contains the website.
const address = process.env.TOOLCRIB_WEBSITE;
const { origin, pathname } = new URL(address ?? "http://localhost/");

const script = readFileSync(join(process.cwd(), "src/scrollable-tables.js"), "utf8");

export default defineConfig({
  ...(address !== undefined && { site: origin }),
  base: pathname,
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "Toolcrib",
      description: packageDescription.description,
      favicon: "/icon.svg",
      customCss: ["./src/styles.css"],
      head: [{ tag: "script", attrs: { type: "module" }, content: script }],
      sidebar: groupPages(readPages().map(({ slug }) => slug)).map(({ label, pages, collapsed = false }) => ({
        label,
        collapsed,
        items: pages.map((slug) => ({ slug })),
      })),
    }),
  ],
});
