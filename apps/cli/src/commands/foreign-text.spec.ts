import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { programOf } from '../program.ts';

/** It would clear and colour the terminal, and end its line. */
const HWID = 'a\u001b[2J\u007f\u009b31m\nb';
const KEY = 'a\\u001b[2J\\u007f\\u009b31m\\u000ab';

const at = '2026-01-15T12:00:00Z';
const SEPARATED = 'a\u2028b\u2029c';
const tapped = { partition: 3, offset: 7, key: HWID, published_at: at, record: { hwid: HWID } };
const deadLetter = {
  id: '1',
  topic: 'tidings.plans',
  group: 'statistics',
  reason: 'handler',
  published_at: at,
  key: HWID,
  error: `Error: ${HWID}\n    at handle`,
};

const replies: Readonly<Record<string, unknown>> = {
  '/admin/v1/tap/tidings.outcomes': tapped,
  '/admin/v1/tap/separated': { ...tapped, key: SEPARATED, record: { hwid: SEPARATED } },
  '/admin/v1/dead-letters': { dead_letters: [deadLetter], next: null },
};

describe('printed text of devices', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url!, 'http://host');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(replies[pathname])}\n`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const printed = async (...words: string[]): Promise<string> => {
    let output = '';
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const program = programOf((text) => (output += text));
    await program.parseAsync(['--url', url, '--admin-token', 'token', ...words], { from: 'user' });
    expect(output).not.toMatch(/(?!\n)\p{Cc}/u);
    return output;
  };

  it('contains no control characters of a terminal, from a topic', async () => {
    const record = '{"hwid":"a\\u001b[2J\\u007f\\u009b31m\\nb"}';
    expect(await printed('tap', 'tidings.outcomes')).toBe(`${at} 3/7 ${KEY} ${record}\n`);
  });

  it('contains no control characters of a terminal, from a list', async () => {
    const [heading, row, ...rest] = (await printed('dead-letters', 'list')).split('\n');
    expect(rest).toEqual(['']);
    expect(row).toContain(`  ${KEY}  Error: `);
    expect(row!.indexOf('Error')).toBe(heading!.indexOf('error'));
  });

  it('may contain line separators, which end no record', async () => {
    const [whole] = (await printed('tap', 'separated')).split('\n');
    expect(whole).toBe(`${at} 3/7 ${SEPARATED} {"hwid":"${SEPARATED}"}`);
  });

  it('is the same text in JSON', async () => {
    expect(JSON.parse(await printed('--json', 'tap', 'tidings.outcomes'))).toEqual(tapped);
    expect(JSON.parse(await printed('--json', 'dead-letters', 'list'))).toMatchObject({ dead_letters: [deadLetter] });
  });
});
