import type { Access, Parameters } from './call.ts';

/** This browser as a device. The page writes it; the service worker reads it. */
export interface StoredDevice extends Access {
  readonly hwid: string;
  readonly userId?: string | undefined;
  readonly language?: string | undefined;
  /** Of notifications whose message has none. */
  readonly title?: string | undefined;
  readonly icon?: string | undefined;
  /** Decided by the visitor: renewals of the subscription need no further gesture. */
  readonly isSubscribed?: boolean | undefined;
  /** Of the subscription that the application has. */
  readonly endpoint?: string | undefined;
  readonly vapidKey?: string | undefined;
}

export interface StoredReport {
  readonly method: string;
  readonly parameters: Parameters;
  readonly rounds: number;
}

/** Oldest first. */
export interface ReportStore {
  all(): Promise<readonly (readonly [key: IDBValidKey, report: StoredReport])[]>;
  /** @param key of the report to replace @default a new one */
  put(report: StoredReport, key?: IDBValidKey): Promise<unknown>;
  remove(key: IDBValidKey): Promise<unknown>;
}

const DEVICES = 'devices';
const REPORTS = 'reports';
const ONLY = 'only';

let database: Promise<IDBDatabase> | undefined;

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('tidings', 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(DEVICES);
      opening.result.createObjectStore(REPORTS, { autoIncrement: true });
    };
    opening.onsuccess = () => {
      // Browsers close it when the visitor clears the data of the site.
      opening.result.onclose = () => (database = undefined);
      resolve(opening.result);
    };
    opening.onerror = () => {
      database = undefined;
      reject(opening.error!);
    };
  });
}

/** Resolves to the result of the request once its transaction is stored. */
async function inStore<T>(name: string, work: (objects: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const transaction = (await (database ??= openDatabase())).transaction(name, 'readwrite');
  const request = work(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error!);
  });
}

export const readDevice = (): Promise<StoredDevice | undefined> =>
  inStore(DEVICES, (objects) => objects.get(ONLY) as IDBRequest<StoredDevice | undefined>);

/** Atomic. */
export async function updateDevice(change: (stored: StoredDevice | undefined) => StoredDevice): Promise<StoredDevice> {
  let changed: StoredDevice;
  await inStore(DEVICES, (objects) => {
    const reading = objects.get(ONLY) as IDBRequest<StoredDevice | undefined>;
    reading.onsuccess = () => objects.put((changed = change(reading.result)), ONLY);
    return reading;
  });
  return changed!;
}

export const reportStore: ReportStore = {
  async all() {
    let keys: IDBRequest<IDBValidKey[]>;
    const reports = await inStore(REPORTS, (objects) => {
      keys = objects.getAllKeys();
      return objects.getAll() as IDBRequest<StoredReport[]>;
    });
    return reports.map((report, index) => [keys.result[index]!, report] as const);
  },
  put: (report, key) => inStore(REPORTS, (objects) => objects.put(report, key)),
  remove: (key) => inStore(REPORTS, (objects) => objects.delete(key)),
};
