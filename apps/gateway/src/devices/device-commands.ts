import { Fault } from '@tidings/kernel';
import { type DeviceCommand, type Devices, faultOfView, type FaultView } from '@tidings/rpc';

const MAX_GROUP = 500;
const MAX_IN_FLIGHT = 2;

interface Waiting {
  readonly command: DeviceCommand;
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

/**
 * Groups commands in front of the registry: what arrives while calls are in flight goes out with the next one, at most 500 together and
 * two calls at a time. There is no timer: a command that finds no call in flight goes out at once.
 */
export function deviceCommands(devices: Pick<Devices, 'apply'>): DeviceCommands {
  let waiting: Waiting[] = [];
  let inFlight = 0;
  let underWay = 0;

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
      const { replies } = await devices.apply({ commands: group.map(({ command }) => command) });
      answer(group, replies);
    } catch (error) {
      const fault = Fault.from(error);
      for (const { reject } of group) reject(fault);
    }
  };

  const pump = (): void => {
    while (waiting.length > 0 && inFlight < MAX_IN_FLIGHT) {
      const group = waiting.length <= MAX_GROUP ? waiting : waiting.slice(0, MAX_GROUP);
      waiting = waiting.length <= MAX_GROUP ? [] : waiting.slice(MAX_GROUP);
      inFlight++;
      underWay += group.length;
      void send(group).then(() => {
        inFlight--;
        underWay -= group.length;
        pump();
      });
    }
  };

  return {
    submit: (command) =>
      new Promise((resolve, reject) => {
        waiting.push({ command, resolve, reject });
        pump();
      }),
    open: () => waiting.length + underWay,
  };
}
