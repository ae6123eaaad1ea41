import { Fault } from '@tidings/kernel';
import type { Endpoint } from '../../subscriptions/endpoint.ts';
import { openGrpcLink } from './grpc/grpc.ts';
import { openHttpLink } from './http/http.ts';
import { openKafkaLink } from './kafka.ts';
import type { LinkDeps, LinkRequest, Link } from './link-port.ts';

export async function openLink(request: LinkRequest<Endpoint>, deps: LinkDeps): Promise<Link> {
  const { endpoint } = request;
  switch (endpoint.kind) {
    case 'grpc':
      return openGrpcLink({ ...request, endpoint }, deps);
    case 'http':
      return openHttpLink({ ...request, endpoint }, deps);
    case 'kafka':
      return openKafkaLink({ ...request, endpoint }, deps);
    case 'dial-in':
      throw Fault.bug('a subscriber that dials in is not connected to');
  }
}
