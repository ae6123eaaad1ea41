import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const [, choice] = /\$\((case "\$APP" in .* esac)\)/.exec(readFileSync('deploy/Dockerfile', 'utf8'))!;
const appsOf = (image: string): string[] =>
  execFileSync('sh', ['-c', choice!], { encoding: 'utf8', env: { ...process.env, APP: image } })
    .trim()
    .split(/\s+/);

describe('the apps in an image', () => {
  it('are all except the demo in that of the platform', () => {
    const others = readdirSync('apps').filter((name) => name !== 'demo');
    expect(appsOf('platform').toSorted()).toEqual(others.toSorted());
  });

  it('are the service, and with the registry the fan-out', () => {
    expect(['gateway', 'registry'].map(appsOf)).toEqual([['gateway'], ['registry', 'fanout']]);
  });
});
