import { Fault } from '@tidings/kernel';
import type { Context } from '../../context.ts';

export async function requireApplication(
  { applications }: Pick<Context, 'applications'>,
  application: string,
): Promise<void> {
  const found = await applications.findApplication({ application });
  if (!found.application) throw Fault.notFound('Application not found');
}
