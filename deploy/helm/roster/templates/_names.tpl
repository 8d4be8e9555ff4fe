{{- define "roster.name" -}}
{{ printf "%s-roster" .Release.Name | trunc 53 | trimSuffix "-" }}
{{- end }}
{{- define "roster.selector" -}}
app.kubernetes.io/name: roster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "roster.labels" -}}
{{ include "roster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
