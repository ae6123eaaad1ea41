import { createSecretKey } from 'node:crypto';
import { compilePayload, json, messageKeyOf, object, PayloadWriter, statisticsHash, text } from '@tidings/messaging';
import { type Figure, median, ratio } from './lib/figure.ts';
import { columnsOf, microsPerDevice } from './lib/rendering.ts';
import { untilSteady } from './lib/rounds.ts';

const DEVICES = 1024;
const MS_A_ROUND = 1_000;

const TITLE = 'Hello {{Name|CapitalizeFirst|friend}}, news';
const BODY =
  'Dear {{Name|CapitalizeFirst|friend}}, your order "{{Amount|regular|1}}" from {{City|UPPERCASE|town}} has arrived at the pick-up point. Open the app to see the code.';
const DATA = { campaign: 'ABCDE-12345', link: 'https://example.com/o/123456' };
const MESSAGE = { campaignId: 0n, messageId: 20012343258n, code: 'AF0B-EEFE4D5E-E445B2E9' };
const TAGS = ['Name', 'Amount', 'City'];

interface Device {
  readonly position: number;
  readonly values: Readonly<Record<string, string>>;
}

const devices: readonly Device[] = Array.from({ length: DEVICES }, (_, i): Device => ({
  position: i,
  values: i % 7 === 0 ? { City: 'berlin' } : { Name: `anna${i}`, City: 'paris', Amount: String(i) },
}));

function naive(device: Device): Buffer {
  const formats: Record<string, (value: string) => string> = {
    CapitalizeFirst: (value) => value.charAt(0).toUpperCase() + value.slice(1),
    UPPERCASE: (value) => value.toUpperCase(),
    regular: (value) => value,
  };
  const fill = (template: string): string =>
    template.replace(
      /\{\{([^|{}]+)\|([^|{}]*)\|([^|{}]*)\}\}/g,
      (_whole, name: string, format: string, fallback: string) => {
        const value = device.values[name];
        return value === undefined ? fallback : (formats[format] ?? formats['regular']!)(value);
      },
    );
  return Buffer.from(
    JSON.stringify({
      aps: { alert: { title: fill(TITLE), body: fill(BODY) }, sound: 'default' },
      p: `P_0_lQlKFY_bEL-4nm3p4-4bbkUN_${device.position.toString(36)}`,
      u: JSON.stringify(DATA),
    }),
  );
}

function compiled(): (device: number) => Buffer {
  const context = { variables: { bindings: {}, placeholders: {} }, tags: TAGS };
  const payload = compilePayload(
    object({
      aps: object({
        alert: object({ title: text(TITLE, context), body: text(BODY, context) }),
        sound: json('default'),
      }),
      p: statisticsHash(MESSAGE, messageKeyOf(createSecretKey(new Uint8Array(32)), 'AAAAA-00000', MESSAGE)),
      u: json(JSON.stringify(DATA)),
    }),
  );
  const columns = columnsOf(
    1,
    devices.map(({ values }) => TAGS.map((tag) => values[tag] ?? '')),
  );
  const writer = new PayloadWriter();
  return (device) => writer.write(payload, columns, device, 4096);
}

export async function measure(): Promise<Figure> {
  const render = compiled();
  const same = (a: Buffer, b: Buffer): boolean => {
    const [x, y] = [a, b].map((bytes) => JSON.parse(bytes.toString()) as { aps: unknown });
    return JSON.stringify(x!.aps) === JSON.stringify(y!.aps);
  };
  for (const [i, device] of devices.entries())
    if (!same(render(i), naive(device))) throw new Error(`payload ${i} differs`);
  const round = () => ({
    their: microsPerDevice((i) => naive(devices[i]!), DEVICES, MS_A_ROUND),
    our: microsPerDevice(render, DEVICES, MS_A_ROUND),
  });
  round();
  const rounds = await untilSteady(round, ({ their, our }) => their / our);
  const [theirs, ours] = [rounds.map(({ their }) => their), rounds.map(({ our }) => our)];
  return {
    id: 'G7',
    title: 'render a personalised payload vs regex + JSON.stringify',
    measures: [
      {
        title: '',
        ...ratio(theirs, ours),
        floor: { least: 2 },
        goal: { least: 4 },
        details: { ours: `${median(ours).toFixed(2)} µs`, naive: `${median(theirs).toFixed(2)} µs` },
      },
    ],
  };
}
