import type { MessageAccepted } from '@tidings/events';
import { MessageRequest } from '@tidings/rpc';
import type { RegistryClients } from '../scheduler.ts';

const unexpected = (): never => {
  throw new Error('not expected in this test');
};

export const acceptingRegistry = (more: Partial<RegistryClients> = {}): RegistryClients => ({
  audiences: {
    resolve: async ({ audiences }) => ({
      debugUntil: undefined,
      audiences: audiences.map(({ recipients }) => {
        const target = recipients?.recipients;
        const platforms = target?.$case === 'devices' ? target.value.names.map(Number) : undefined;
        const selection = { expression: undefined, circle: undefined, activity: '', bySiblings: false };
        const value = {
          audience: {
            target: platforms
              ? { $case: 'named' as const, value: { seqs: platforms, byApplication: [] } }
              : { $case: 'selection' as const, value: selection },
            platforms: [],
          },
          unknown: [],
          platforms: platforms ?? [],
          filterName: '',
          filterCode: '',
          activityKnown: false,
        };
        return { reply: { $case: 'resolved' as const, value } };
      }),
    }),
  },
  presets: { resolve: unexpected, nameCampaign: unexpected },
  devices: { apply: unexpected },
  segments: { hasRecipients: () => Promise.reject(new Error('no message has a local time')) },
  ...more,
});

export const requestOf = (
  message: Partial<MessageAccepted>,
  more: Partial<Omit<MessageRequest, 'message'>> = {},
): MessageRequest =>
  MessageRequest.fromPartial({
    message: { content: {}, source: 'API', ...message },
    recipients: { recipients: { $case: 'everyone', value: {} } },
    ignoresPresetRate: true,
    ...more,
  });
