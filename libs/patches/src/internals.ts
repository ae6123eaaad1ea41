import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** @throws Error unless exactly this version is installed: others may differ inside */
export function internalsOf(name: string, version: string): (path: string) => unknown {
  const { version: installed } = load(`${name}/package.json`) as { readonly version: string };
  if (installed !== version) {
    throw new Error(`libs/patches/src/${name}.ts patches ${name} ${version}, and ${installed} is installed: review it`);
  }
  return (path) => load(`${name}/${path}`) as unknown;
}
