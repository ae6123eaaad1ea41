import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/@bufbuild/buf/bin/buf', ...args], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
};

describe('buf breaking', () => {
  const FILE = 'tidings/events/v1/messages.proto';
  const FIELD = '  string code = 2;\n';
  let folder: string;
  let image: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-proto-'));
    image = join(folder, 'image.binpb');
    cpSync('proto', join(folder, 'proto'), { recursive: true });
    expect(run('build', join(folder, 'proto'), '--output', image)).toMatchObject({ status: 0 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Against the protos before the field was replaced. */
  const afterReplacingTheField = (by: string) => {
    const path = join(folder, 'proto', FILE);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(FIELD);
    writeFileSync(path, text.replace(FIELD, by));
    return run('breaking', join(folder, 'proto'), '--against', image);
  };

  it('refuses a field that is removed', () => {
    const { status, output } = afterReplacingTheField('');
    expect(status).not.toBe(0);
    expect(output).toContain('Previously present field "2" with name "code" on message "MessageEvent" was deleted');
  });

  it('refuses a field whose wire type has changed', () => {
    const { status, output } = afterReplacingTheField('  uint64 code = 2;\n');
    expect(status).not.toBe(0);
    expect(output).toContain('MessageEvent');
  });

  it.each([
    ['removed with its number reserved', '  reserved 2;\n'],
    ['renamed', '  string message = 2;\n'],
    ['followed by a new one', `${FIELD}  string new_field = 1000;\n`],
  ])('accepts a field that is %s', (_, by) => {
    expect(afterReplacingTheField(by)).toEqual({ status: 0, output: '' });
  });

  it('has an image to compare with that buf can read', () => {
    expect(run('build', 'proto/image.binpb')).toEqual({ status: 0, output: '' });
  });
});
