import type { Notification } from '@tidings/contract';

export type MessageField =
  | 'send_date'
  | 'devices'
  | 'email_category'
  | 'inbox_date'
  | 'preset'
  | 'campaign'
  | 'filter'
  | 'filter_code'
  | 'expression'
  | 'conditions'
  | 'live_activity_id';

export interface Paths {
  readonly message: string;
  readonly of: (field: MessageField) => string;
}

export function notificationPaths(index: number): Paths {
  const message = `notifications[${index}]`;
  return { message, of: (field) => `${message}.${field}` };
}

export function selectionField({ recipients }: Pick<Notification, 'recipients'>): MessageField {
  switch (recipients.kind) {
    case 'filter':
      return recipients.name === '' ? 'filter_code' : 'filter';
    case 'conditions':
      return 'conditions';
    default:
      return 'expression';
  }
}
