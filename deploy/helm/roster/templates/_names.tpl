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
{{- define "roster.image" -}}
"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
{{- end }}
{{- define "roster.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}
{{- define "roster.settings" -}}
env:
  - name: PUBLIC_URL
    value: {{ required "Set publicUrl to the https address that people use" .Values.publicUrl | quote }}
  - name: TRUST_PROXY
    value: {{ .Values.trustProxy | quote }}
  - name: MASTER_KEY
    valueFrom:
      secretKeyRef:
        name: {{ required "Set masterKeySecret to a secret with the key master.key" .Values.masterKeySecret }}
        key: master.key
  {{- with .Values.database.secret }}
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef: { name: {{ . }}, key: DATABASE_URL }
  {{- end }}
  {{- range $name, $value := .Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- with .Values.secrets }}
envFrom:
  {{- range . }}
  - secretRef: { name: {{ . }} }
  {{- end }}
{{- end }}
{{- end }}
