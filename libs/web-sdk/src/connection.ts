import { callMethod, type Parameters } from './call.ts';
import { withRetries } from './retry.ts';
import { type StoredDevice, updateDevice } from './browser-store.ts';
import { deviceType } from './subscription.ts';
import type { ConnectOptions } from './web-device.ts';

export interface Connection {
  readonly options: ConnectOptions;
  readonly current: () => Promise<StoredDevice>;
  readonly change: (fields: Partial<StoredDevice>) => Promise<StoredDevice>;
  readonly call: (method: string, parameters?: Parameters) => Promise<unknown>;
  /** With the platform: an unknown browser becomes a device without a token (R-C7). */
  readonly callAsBrowser: (method: string, parameters: Parameters) => Promise<unknown>;
}

/** After a change of the application, or of the gateway, the next visit registers the subscription there. */
export function connectedDevice(
  { url: address, application, token, title, icon }: ConnectOptions,
  stored: StoredDevice | undefined,
): StoredDevice {
  const url = address.endsWith('/') ? address.slice(0, -1) : address;
  const { hwid = crypto.randomUUID(), isSubscribed, language, userId, endpoint, vapidKey } = stored ?? {};
  const device = { url, application, token, title, icon, hwid, isSubscribed, language };
  const isSame = stored?.application === application && stored.url === url;
  return isSame ? { ...device, userId, endpoint, vapidKey } : device;
}

export function openConnection(options: ConnectOptions): Connection {
  const stored = updateDevice((before) => connectedDevice(options, before));
  // Each method reports a failure of its own.
  stored.catch(() => undefined);

  const change = async (fields: Partial<StoredDevice>): Promise<StoredDevice> => {
    const device = await stored;
    return updateDevice((before) => ({ ...device, ...before, ...fields }));
  };
  const call = async (method: string, parameters: Parameters = {}): Promise<unknown> => {
    const device = await change({});
    return withRetries(() => callMethod(device, method, { hwid: device.hwid, ...parameters }));
  };
  return {
    options,
    current: () => change({}),
    change,
    call,
    callAsBrowser: (method, parameters) => call(method, { device_type: deviceType(), ...parameters }),
  };
}
