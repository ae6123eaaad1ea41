import { Fault } from '@tidings/kernel';
import type { Context } from '../../context.ts';

/** Operators' requests are not authorized per application, so an unknown application in the path is refused here (R-T8). */
export async function requireApplication(
  { applications }: Pick<Context, 'applications'>,
  application: string,
): Promise<void> {
  const found = await applications.findApplication({ application });
  if (!found.application) throw Fault.notFound('Application not found');
}
