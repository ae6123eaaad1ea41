import {
  type FilterCondition as StructuredCondition,
  type Notification,
  type StructuredFilter,
  withText,
} from '@tidings/contract';
import type { FilterCondition, FilterGroup, Recipients } from '@tidings/rpc';

const groupOf = ({ any, negated, conditions }: StructuredFilter): FilterGroup => ({
  any,
  negated,
  conditions: conditions.map((each) => ({ negated: each.negated, condition: conditionOf(each) })),
});

function conditionOf(condition: StructuredCondition): FilterCondition['condition'] {
  switch (condition.kind) {
    case 'tag': {
      const { application, name, operator, value } = condition;
      return { $case: 'tag', value: { application, name, operator, operand: withText(value) } };
    }
    case 'application': {
      const { code, platforms, withTokens } = condition;
      return { $case: 'application', value: { code, platforms: [...platforms], withTokens } };
    }
    case 'segment':
      return { $case: 'segment', value: condition.code };
    case 'group':
      return { $case: 'group', value: groupOf(condition.of) };
  }
}

function targetOf(recipients: Notification['recipients']): Recipients['recipients'] {
  switch (recipients.kind) {
    case 'expression':
      return { $case: 'expression', value: recipients.source };
    case 'structured':
      return { $case: 'structured', value: groupOf(recipients.filter) };
    case 'activity':
      return { $case: 'activity', value: recipients.id };
    case 'users':
    case 'devices':
    case 'to':
    case 'hwids':
    case 'pushTokens':
      return { $case: recipients.kind, value: { names: [...recipients.names] } };
    case 'contacts':
      return { $case: 'contacts', value: { platform: recipients.platform, names: [...recipients.names] } };
    case 'testDevices':
      return { $case: 'testDevices', value: {} };
    case 'conditions': {
      const conditions = recipients.conditions.map(({ operand, ...rest }) => ({ ...rest, operand: withText(operand) }));
      return { $case: 'conditions', value: { operator: recipients.operator, conditions } };
    }
    case 'filter':
      return { $case: 'filter', value: { name: recipients.name, code: recipients.code } };
    case 'everyone':
      return { $case: 'everyone', value: {} };
  }
}

export const recipientsOf = ({ recipients, platforms }: Notification, bySiblings: boolean): Recipients => ({
  recipients: targetOf(recipients),
  latestDevice: recipients.kind === 'users' && recipients.latestDevice === true,
  latestAmong: [...(platforms ?? [])],
  bySiblings,
});
