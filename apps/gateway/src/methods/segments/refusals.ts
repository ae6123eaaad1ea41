import { Fault } from '@tidings/kernel';

export async function withPaths<T>(paths: Readonly<Record<string, string>>, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const path = paths[error.field ?? ''];
    throw path === undefined ? error : Fault.argument(`${path}: ${error.message}`);
  }
}
