import type { Content, MessageAccepted } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import type { Created } from '@tidings/messaging';
import type { Audiences, Devices, MessageRequest, Messages, Presets } from '@tidings/rpc';
import { acceptMessages, messageContent } from '@tidings/scheduler/accept';

export interface MessageDraft {
  readonly transactionId: string;
  readonly message: MessageAccepted;
  readonly linkToShorten: string;
  readonly actionsToShorten: readonly number[];
  readonly activityKnown: boolean;
}

export interface AcceptanceWorld {
  readonly clock: Clock;
  readonly audiences: Audiences;
  readonly presets: Pick<Presets, 'resolve' | 'nameCampaign'>;
  readonly devices: Pick<Devices, 'apply'>;
  readonly created: ReadonlyMap<string, Created>;
  readonly create: (drafts: readonly MessageDraft[]) => Promise<readonly Created[]>;
}

export function acceptanceOf(world: AcceptanceWorld): Pick<Messages, 'accept'> {
  const createdFor = (keys: readonly string[]): ReadonlyMap<string, Created> =>
    new Map([...world.created].filter(([key]) => keys.includes(key)));
  return acceptMessages({
    clock: world.clock,
    audiences: { resolve: (request) => world.audiences.resolve(request) },
    presets: {
      resolve: (request) => world.presets.resolve(request),
      nameCampaign: (request) => world.presets.nameCampaign(request),
    },
    devices: { apply: (commands) => world.devices.apply(commands) },
    transactions: {
      keyOf: (_, transactionId) => transactionId,
      exclusively: (keys, accept) => accept(createdFor(keys)),
      reserve: async (keys) => ({ repeats: createdFor(keys), release: async () => undefined }),
    },
    messages: {
      refuse: async () => undefined,
      create: async (_, messages) => [
        ...(await world.create(
          messages.map(({ transaction, isActivityKnown, message: { accepted, ...links } }) => ({
            transactionId: transaction,
            message: accepted,
            ...links,
            activityKnown: isActivityKnown,
          })),
        )),
      ],
    },
  });
}

export const completeContent = (request: MessageRequest): Content =>
  messageContent(request, { preset: undefined, byPlatform: new Map() }).content;
