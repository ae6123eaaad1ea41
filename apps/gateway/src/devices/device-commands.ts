import { Fault } from '@tidings/kernel';
import { type DeviceCommand, type Devices, faultOfView, type FaultView } from '@tidings/rpc';
import { currentTrace, inSpan, type Trace } from '@tidings/telemetry';

const MAX_GROUP = 500;
/** From here on a group is one of many callers, who ask again when they are answered. */
const BUSY_GROUP = 8;
/** How long they are waited for, at most: less than a group is under way. */
const PATIENCE_MS = 4;

interface Waiting {
  readonly command: DeviceCommand;
  /** Whose it is, while traces are recorded. */
  readonly trace: Trace | undefined;
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

/** Commands to devices, sent in groups. */
export interface DeviceCommands {
  /** Resolves when the command is durable and folded; rejects with its own fault. */
  submit(command: DeviceCommand): Promise<void>;
  /** How many are waiting or under way. */
  readonly open: () => number;
}

type Registry = Pick<Devices, 'apply'>;

/**
 * Groups commands in front of the registry: what arrives while a call is in flight goes out with the next one, at most 500 together, and in
 * halves where they are too large for one call. A command that finds no call in flight goes out as soon as the requests that came with it are
 * read. A second call in flight would halve the groups, and with them double what a command costs behind here; so would two halves of the
 * callers that take turns, hence under load the callers just answered get a moment to join those who wait.
 * @param replicaOf names the registry's replica that a command goes to: each has groups of its own. @default one for all
 */
export function deviceCommands(
  devices: Registry,
  replicaOf: (command: DeviceCommand) => string = () => '',
): DeviceCommands {
  const lanes = new Map<string, DeviceCommands>();

  const laneTo = (replica: string): DeviceCommands => {
    const known = lanes.get(replica);
    if (known) return known;
    // Replicas come and go.
    for (const [name, lane] of lanes) if (lane.open() === 0) lanes.delete(name);
    const lane = openLane(devices);
    lanes.set(replica, lane);
    return lane;
  };

  return {
    submit: (command) => laneTo(replicaOf(command)).submit(command),
    open: () => [...lanes.values()].reduce((sum, lane) => sum + lane.open(), 0),
  };
}

/** Groups of one replica, one after the other. */
function openLane(devices: Registry): DeviceCommands {
  let waiting: Waiting[] = [];
  let inFlight: readonly Waiting[] = [];
  let scheduled = false;
  /** While it runs, a group that is not `enough` waits. */
  let patience: NodeJS.Timeout | undefined;
  let enough = 0;

  const answer = (group: readonly Waiting[], replies: readonly { fault: FaultView | undefined }[]): void => {
    group.forEach(({ resolve, reject }, index) => {
      const reply = replies[index];
      if (!reply) reject(Fault.bug('the registry left a command unanswered'));
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

  const pump = (): void => {
    clearTimeout(patience);
    [scheduled, patience] = [false, undefined];
    inFlight = waiting.slice(0, MAX_GROUP);
    waiting = waiting.slice(MAX_GROUP);
    void send(inFlight).then(() => {
      const answered = inFlight.length;
      inFlight = [];
      if (answered < BUSY_GROUP) return schedule();
      enough = Math.min(waiting.length + answered, MAX_GROUP);
      patience = setTimeout(() => {
        patience = undefined;
        schedule();
      }, PATIENCE_MS);
    });
  };

  const schedule = (): void => {
    if (scheduled || inFlight.length > 0 || waiting.length === 0) return;
    if (patience && waiting.length < enough) return;
    scheduled = true;
    setImmediate(pump);
  };

  return {
    submit: (command) =>
      new Promise((resolve, reject) => {
        waiting.push({ command, trace: currentTrace(), resolve, reject });
        schedule();
      }),
    open: () => waiting.length + inFlight.length,
  };
}

function* tracesOf(group: readonly Waiting[]): Iterable<Trace | undefined> {
  for (const { trace } of group) yield trace;
}
