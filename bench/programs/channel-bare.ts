import { connect } from 'node:net';
import nodemailer from 'nodemailer';
import { Pool } from 'undici';

/**
 * A channel's baseline, one fixed message. argv: protocol, address, what it sends as JSON, number of messages. Prints the CPU microseconds per
 * message.
 */
const [protocol = '', address = '', what = '{}', amount = '0'] = process.argv.slice(2);
const WARM_UP = 4_000;

type Send = () => Promise<unknown>;

interface Client {
  readonly width: number;
  readonly send: Send;
}

interface Posted {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Requests carry a token issued here. */
  readonly token?: { readonly path: string; readonly client: string; readonly scope: string };
}

/** As many as a dispatcher has to a provider of HTTP/1.1. */
const CONNECTIONS = 64;

async function authorizationBy({ path, client, scope }: NonNullable<Posted['token']>) {
  const form = { grant_type: 'client_credentials', client_id: client, client_secret: 's', scope };
  const reply = await fetch(address + path, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  return { authorization: `Bearer ${token}` };
}

async function http1(): Promise<Client> {
  const { path, headers: given, body, token } = JSON.parse(what) as Posted;
  const headers = { ...given, ...(token && (await authorizationBy(token))) };
  const pool = new Pool(address, { connections: CONNECTIONS });
  return {
    width: CONNECTIONS,
    async send() {
      const reply = await pool.request({ method: 'POST', path, headers, body });
      const text = await reply.body.text();
      if (reply.statusCode >= 300) throw new Error(`status ${reply.statusCode} ${text}`);
    },
  };
}

/** As many as a dispatcher has with a relay. */
const SESSIONS = 20;

function smtp(): Client {
  const { hostname: host, port } = new URL(address);
  const pool = nodemailer.createTransport({
    pool: true,
    host,
    port: Number(port),
    maxConnections: SESSIONS,
    maxMessages: Infinity,
    ignoreTLS: true,
  });
  const mail = JSON.parse(what) as object;
  return { width: SESSIONS, send: () => pool.sendMail(mail) };
}

/** As many as a dispatcher leaves unanswered. */
const WINDOW = 100;
const RESPONSE = 0x8000_0000;

const text = (value: string): Buffer => Buffer.from(`${value}\0`, 'latin1');

function pdu(command: number, sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  [16 + body.length, command, 0, sequence].forEach((value, i) => header.writeUInt32BE(value, i * 4));
  return Buffer.concat([header, body]);
}

/** Receipts are answered. */
function smpp(): Client {
  const { hostname, port } = new URL(address);
  const { to, content } = JSON.parse(what) as { to: string; content: string };
  const socket = connect(Number(port), hostname);
  const waiting = new Map<number, () => void>();
  let [sequence, rest] = [1, Buffer.alloc(0)];
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
      const [command, id] = [rest.readUInt32BE(4), rest.readUInt32BE(12)];
      rest = rest.subarray(rest.readUInt32BE(0));
      if (command >= RESPONSE) waiting.get(id)?.();
      else socket.write(pdu((command | RESPONSE) >>> 0, id, text('')));
    }
  });
  const ask = (command: number, body: Buffer): Promise<void> =>
    new Promise((resolve) => {
      const id = ++sequence;
      waiting.set(id, () => {
        waiting.delete(id);
        resolve();
      });
      socket.write(pdu(command, id, body));
    });
  const bound = ask(9, Buffer.concat([...['bench', 'secret', ''].map(text), Buffer.from([0x34, 0, 0]), text('')]));
  const message = Buffer.from(content, 'latin1');
  const submit = (): Promise<void> =>
    ask(
      4,
      Buffer.concat([
        ...[text(''), Buffer.from([5, 0]), text('Shop'), Buffer.from([1, 1]), text(to), Buffer.from([0, 0, 0])],
        ...[text(''), text(''), Buffer.from([1, 0, 0, 0, message.length]), message],
      ]),
    );
  return { width: WINDOW, send: () => bound.then(submit) };
}

const { width, send } = await { http1, smtp, smpp }[protocol]!();

async function loop(count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: width }, worker));
}

await loop(WARM_UP);
const before = process.cpuUsage();
await loop(Number(amount));
const used = process.cpuUsage(before);
console.log(JSON.stringify({ ready: { micros: (used.user + used.system) / Number(amount) } }));
process.exit(0);
