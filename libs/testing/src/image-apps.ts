import { readFileSync } from 'node:fs';

export function appsIn(image: string): readonly string[] {
  const dockerfile = readFileSync(new URL('../../../deploy/Dockerfile', import.meta.url), 'utf8');
  const [, apps] = new RegExp(`\\(${image}\\) echo ([\\w -]+);;`).exec(dockerfile) ?? [];
  return apps?.split(' ') ?? [image];
}
