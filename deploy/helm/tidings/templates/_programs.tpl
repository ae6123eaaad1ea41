{{/*
The programs of docs/operations/installing.md: the app of the image, the entry below apps, the services that each calls, and the consumer groups whose lag it is scaled by.
A store is a database, links are those that begin with PUBLIC_URL, outbound are connections to providers and subscribers.
*/}}
{{- define "tidings.programs" -}}
gateway:
  app: gateway
  entry: gateway/dist/main.js
  calls: [gateway, audience-jobs, registry, scheduler, fanout, dispatcher, statistics, webhooks]
  links: true
registry: { app: registry, entry: registry/dist/main.js, store: true }
fanout: { app: registry, entry: fanout/dist/main.js, store: true, groups: [fanout.tasks, fanout.direct] }
scheduler: { app: scheduler, entry: scheduler/dist/main.js, calls: [registry], store: true, links: true, groups: [scheduler, scheduler.visits] }
dispatcher:
  app: dispatcher
  entry: dispatcher/dist/main.js
  calls: [registry]
  store: true
  outbound: true
  perChannel: true
  groups: [dispatcher.CHANNEL, dispatcher.CHANNEL.direct]
statistics: { app: statistics, entry: statistics/dist/main.js, store: true, groups: [statistics] }
audience-jobs: { app: audience-jobs, entry: audience-jobs/dist/main.js, calls: [registry], store: true }
webhooks: { app: webhooks, entry: webhooks/dist/main.js, calls: [registry, dispatcher], store: true, outbound: true, groups: [webhooks] }
{{- end -}}

{{/* One workload for each program, and for each enabled channel of the dispatcher: a list of program, channel, name, settings and the facts of the program. */}}
{{- define "tidings.workloads" -}}
{{- $root := . -}}
{{- $workloads := list -}}
{{- range $program, $facts := include "tidings.programs" . | fromYaml -}}
{{- $channels := list "" -}}
{{- if $facts.perChannel -}}
{{- $channels = list -}}
{{- range $channel, $settings := $root.Values.channels -}}
{{- if $settings.enabled -}}{{- $channels = append $channels $channel -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $channel := $channels -}}
{{- $own := deepCopy (dig $program dict $root.Values.programs) -}}
{{- $settings := mergeOverwrite (deepCopy $root.Values.defaults) $own -}}
{{- $groups := list -}}
{{- range $facts.groups -}}{{- $groups = append $groups (replace "CHANNEL" $channel .) -}}{{- end -}}
{{- $name := printf "%s-%s" (include "tidings.fullname" $root) $program -}}
{{- $links := $facts.links -}}
{{- if $channel -}}
{{- $name = printf "%s-%s" $name $channel -}}
{{- $settings = mergeOverwrite $settings (omit (index $root.Values.channels $channel) "enabled" | deepCopy) -}}
{{- $links = eq $channel "email" -}}
{{- end -}}
{{- $more := dict "program" $program "channel" $channel "name" $name "settings" $settings "groups" $groups "links" $links -}}
{{- $workloads = append $workloads (merge $more $facts) -}}
{{- end -}}
{{- end -}}
{{- toYaml $workloads -}}
{{- end -}}

{{/* Whether the program has a ScaledObject: takes root and workload. */}}
{{- define "tidings.hasScaledObject" -}}
{{- if and .root.Values.keda.enabled .workload.settings.autoscaling.enabled .workload.groups -}}true{{- end -}}
{{- end -}}
