import { kindOfAddress } from "../lib/net/kind-of-address.ts";

/** Whether a URL names this machine or an address that is not on the internet. Of other names nobody knows it yet. */
export function isNear({ hostname }: URL): boolean {
  return /(?:^|\.)localhost\.?$/.test(hostname) || (kindOfAddress(hostname) ?? "public") !== "public";
}
