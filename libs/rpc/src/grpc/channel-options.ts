import type { ChannelOptions } from '@grpc/grpc-js';

export const MAX_MESSAGE_BYTES = 64 << 20;
const WINDOW_BYTES = 4 << 20;

const limits: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc-node.flow_control_window': WINDOW_BYTES,
  'grpc.enable_channelz': 0,
};

/** A peer without an answer for 7 s is gone, with or without calls in progress. */
const keepAlive: ChannelOptions = { 'grpc.keepalive_time_ms': 5_000, 'grpc.keepalive_timeout_ms': 2_000 };

export const serverOptions: ChannelOptions = { ...limits, ...keepAlive };

export const clientOptions: ChannelOptions = {
  ...limits,
  ...keepAlive,
  'grpc.keepalive_permit_without_calls': 1,
  // remote.ts decides which calls are retried, and where.
  'grpc.enable_retries': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
};
