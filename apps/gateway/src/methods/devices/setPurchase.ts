import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

const PURCHASE = 'In-app Purchase';

export const setPurchase: Handler<typeof api.setPurchase, 'deviceCommands'> = (input, { deviceCommands }, call) => {
  const { productIdentifier: product, quantity, price, currency, transactionDate: at } = input;
  const value = {
    name: PURCHASE,
    amount: price * quantity,
    currency,
    purchase: { product, quantity, at },
    happenedAt: undefined,
    localAt: undefined,
  };
  return deviceCommands.submit(call.pending, commandOf(call, input, { $case: 'recordEvent', value }));
};
