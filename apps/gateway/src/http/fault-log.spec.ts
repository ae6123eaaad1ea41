import { jest } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { openLog } from '@tidings/runtime';
import { faultLog } from './fault-log.ts';

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { lines, note: faultLog(log) };
}

const away = (): Fault =>
  new Fault('unavailable', 'A service does not answer', { internal: 'registry: away', cause: new Error('refused') });

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('expected faults are logged once a second, without a stack, with the number of suppressed ones', () => {
  const { lines, note } = setUp();
  for (let second = 0; second < 3; second++) {
    for (let i = 0; i < 1_000; i++) note(away(), '/json/1.3/setTags');
    jest.advanceTimersByTime(1_000);
  }
  jest.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatchObject({ level: 'warn', path: '/json/1.3/setTags', reason: 'registry: away' });
  const reported = lines.reduce((sum, { suppressed }) => sum + 1 + Number(suppressed ?? 0), 0);
  expect(reported).toBe(3_000);
  expect(JSON.stringify(lines)).not.toMatch(/stack|at .*\.ts/);
});

it('each bug is logged with its stack', () => {
  const { lines, note } = setUp();
  for (let i = 0; i < 3; i++) note(Fault.bug('unforeseen', new Error('why')), '/json/1.3/setTags');
  expect(lines).toHaveLength(3);
  expect(JSON.stringify(lines[2])).toContain('stack');
});

it('faults of callers are not logged', () => {
  const { lines, note } = setUp();
  note(Fault.argument('hwid: must be a string'), '/json/1.3/setTags');
  expect(lines).toEqual([]);
});
