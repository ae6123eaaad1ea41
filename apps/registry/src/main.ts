import { runService } from '@tidings/service';
import { service } from './service.ts';

await runService(service);
