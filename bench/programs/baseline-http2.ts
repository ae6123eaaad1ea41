import { connect } from 'node:http2';

/** G3's baseline. argv: address, path, headers as JSON, number of requests. Prints the CPU microseconds per push. */
const [address, path, headers, amount] = process.argv.slice(2) as [string, string, string, string];
const body = Buffer.from(
  JSON.stringify({
    aps: {
      alert: { title: 'Hello', body: 'Dear Anna, your order has arrived at the pick-up point.' },
      sound: 'default',
    },
    p: 'P_0_lQlKFY_bEL-4nm3p4-4bbkUN_1c',
    u: '{"campaign":"ABCDE-12345"}',
  }),
);
const request = { ':method': 'POST', ':path': path, ...(JSON.parse(headers) as Record<string, string>) };
const total = Number(amount);
const session = connect(address);
await new Promise((resolve) => session.once('remoteSettings', resolve));

const send = (count: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let [sent, done] = [0, 0];
    const next = (): void => {
      sent++;
      const stream = session.request(request);
      stream.on('response', (reply) => {
        if (reply[':status'] !== 200) reject(new Error(`status ${reply[':status']}`));
      });
      stream.resume();
      stream.on('close', () => {
        if (++done === count) resolve();
        else if (sent < count) next();
      });
      stream.end(body);
    };
    for (let i = 0; i < Math.min(500, count); i++) next();
  });

await send(2000);
const before = process.cpuUsage();
await send(total);
const used = process.cpuUsage(before);
console.log(JSON.stringify({ ready: { micros: (used.user + used.system) / total } }));
session.close();
