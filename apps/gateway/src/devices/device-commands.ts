import { Fault } from '@tidings/kernel';
import { type DeviceCommand, type Devices, faultOfView, type FaultView } from '@tidings/rpc';
import { currentTrace, inSpan, type Trace } from '@tidings/telemetry';
import type { PendingRequest } from '../limits/pending-requests.ts';

const MAX_GROUP = 500;
const BUSY_GROUP = 8;
const JOIN_MS = 4;

const LIMITS = { commands: 10_000, bytes: 32 * 1024 * 1024 };

type Caller = Pick<PendingRequest, 'deadline' | 'bytes'>;

interface Waiting {
  readonly command: DeviceCommand;
  readonly caller: Caller;
  /** The last command of a request has the bytes of all, the others 0. */
  readonly bytes: number;
  readonly trace: Trace | undefined;
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

export interface DeviceCommands {
  /** Resolves when the command is durable and applied; rejects at once without room. */
  submit(caller: Caller, command: DeviceCommand): Promise<void>;
  /** All of them, or none without room. */
  submitAll(caller: Caller, commands: readonly DeviceCommand[]): Promise<void>;
  readonly open: () => number;
}

type Registry = Pick<Devices, 'apply'>;

const FULL = 'too many device commands wait for the registry';
const LATE = 'the registry did not take the command in time';
const CHECK_INTERVAL_MS = 250;

/** One call at a time to each replica: a second one would halve the groups. Under load, callers just answered get a moment to join the next group. */
export function deviceCommands(
  devices: Registry,
  replicaOf: (command: DeviceCommand) => string = () => '',
  limits: typeof LIMITS = LIMITS,
): DeviceCommands {
  const lanes = new Map<string, Lane>();
  const pending = { commands: 0, bytes: 0 };
  let lookedAt = -Infinity;

  const release = ({ bytes }: Waiting): void => {
    pending.commands--;
    pending.bytes -= bytes;
  };
  const hasRoom = ({ bytes }: Caller, amount: number): boolean =>
    pending.commands + amount <= limits.commands && pending.bytes + bytes <= limits.bytes;
  const makeRoom = (): void => {
    const now = performance.now();
    if (now - lookedAt < CHECK_INTERVAL_MS) return;
    lookedAt = now;
    for (const lane of lanes.values()) lane.expire(now);
  };

  const laneTo = (replica: string): Lane => {
    const existing = lanes.get(replica);
    if (existing) return existing;
    for (const [name, lane] of lanes) if (lane.open() === 0) lanes.delete(name);
    const lane = openLane(devices, release);
    lanes.set(replica, lane);
    return lane;
  };

  const refusal = (caller: Caller, amount: number): Fault | undefined => {
    if (!hasRoom(caller, amount)) makeRoom();
    return hasRoom(caller, amount) ? undefined : new Fault('unavailable', FULL, { effect: 'none' });
  };
  const send = (caller: Caller, command: DeviceCommand, bytes: number): Promise<void> => {
    pending.commands++;
    pending.bytes += bytes;
    return laneTo(replicaOf(command)).submit(caller, command, bytes);
  };

  return {
    submit(caller, command) {
      const refused = refusal(caller, 1);
      return refused ? Promise.reject(refused) : send(caller, command, caller.bytes);
    },
    async submitAll(caller, commands) {
      if (commands.length === 0) return;
      const refused = refusal(caller, commands.length);
      if (refused) throw refused;
      const last = commands.length - 1;
      await Promise.all(commands.map((command, i) => send(caller, command, i === last ? caller.bytes : 0)));
    },
    open: () => [...lanes.values()].reduce((sum, lane) => sum + lane.open(), 0),
  };
}

interface Lane extends Pick<DeviceCommands, 'open'> {
  submit(caller: Caller, command: DeviceCommand, bytes: number): Promise<void>;
  expire(now: number): void;
}

function openLane(devices: Registry, release: (one: Waiting) => void): Lane {
  let waiting: Waiting[] = [];
  let inFlight: readonly Waiting[] = [];
  let scheduled = false;
  let joinTimer: NodeJS.Timeout | undefined;
  let enough = 0;

  const answer = (group: readonly Waiting[], replies: readonly { fault: FaultView | undefined }[]): void => {
    group.forEach(({ resolve, reject }, index) => {
      const reply = replies[index];
      if (!reply) reject(Fault.bug('the registry did not answer a command'));
      else if (reply.fault) reject(faultOfView(reply.fault));
      else resolve();
    });
  };

  const send = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const { replies } = await inSpan('apply device commands', { of: tracesOf(group) }, () =>
        devices.apply({ commands: group.map(({ command }) => command) }),
      );
      answer(group, replies);
    } catch (error) {
      const fault = Fault.from(error);
      if (fault.kind === 'tooLarge' && group.length > 1) {
        const half = Math.ceil(group.length / 2);
        await send(group.slice(0, half));
        return send(group.slice(half));
      }
      for (const { reject } of group) reject(fault);
    }
  };

  const expire = (now: number): void => {
    if (!waiting.some(({ caller }) => caller.deadline <= now)) return;
    const late = waiting.filter(({ caller }) => caller.deadline <= now);
    waiting = waiting.filter(({ caller }) => caller.deadline > now);
    for (const one of late) {
      release(one);
      one.reject(new Fault('unavailable', LATE, { effect: 'none' }));
    }
  };

  const pump = (): void => {
    clearTimeout(joinTimer);
    [scheduled, joinTimer] = [false, undefined];
    expire(performance.now());
    inFlight = waiting.slice(0, MAX_GROUP);
    waiting = waiting.slice(MAX_GROUP);
    if (inFlight.length === 0) return;
    void send(inFlight).then(() => {
      const answered = inFlight.length;
      inFlight.forEach(release);
      inFlight = [];
      if (answered < BUSY_GROUP) return schedule();
      enough = Math.min(waiting.length + answered, MAX_GROUP);
      joinTimer = setTimeout(() => {
        joinTimer = undefined;
        schedule();
      }, JOIN_MS);
      schedule();
    });
  };

  const schedule = (): void => {
    if (scheduled || inFlight.length > 0 || waiting.length === 0) return;
    if (joinTimer && waiting.length < enough) return;
    scheduled = true;
    setImmediate(pump);
  };

  return {
    submit: (caller, command, bytes) =>
      new Promise((resolve, reject) => {
        waiting.push({ command, caller, bytes, trace: currentTrace(), resolve, reject });
        schedule();
      }),
    expire,
    open: () => waiting.length + inFlight.length,
  };
}

function* tracesOf(group: readonly Waiting[]): Iterable<Trace | undefined> {
  for (const { trace } of group) yield trace;
}
