import { readFileSync } from 'node:fs';

/** The apps that deploy/Dockerfile puts into the image of an app. */
export function appsIn(image: string): readonly string[] {
  const dockerfile = readFileSync(new URL('../../../deploy/Dockerfile', import.meta.url), 'utf8');
  const [, apps] = new RegExp(`\\(${image}\\) echo ([\\w -]+);;`).exec(dockerfile) ?? [];
  return apps?.split(' ') ?? [image];
}
