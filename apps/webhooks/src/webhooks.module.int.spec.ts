import { expect } from '@jest/globals';
import { type Subscriptions, SubscriptionsDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { WebhooksModule } from './webhooks.module.ts';

describeServiceModule({
  name: 'webhooks',
  module: WebhooksModule,
  peers: ['registry', 'dispatcher'],
  async answers(reach) {
    expect(await reach<Subscriptions>(SubscriptionsDefinition).list({})).toEqual({ subscriptions: [] });
  },
});
