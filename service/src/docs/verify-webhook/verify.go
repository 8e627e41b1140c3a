package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

// IsGenuine tells whether rawBody, the body as it came, was signed with the secret;
// header is the value of Service-Signature.
func IsGenuine(rawBody []byte, header, secret string, now time.Time) bool {
	t := ""
	var given []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			t = value
		case "v1":
			given = append(given, value)
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(rawBody)
	wanted := mac.Sum(nil)
	// For a day after a rotation there are two v1: any of them may match.
	for _, value := range given {
		signature, err := hex.DecodeString(value)
		if err == nil && hmac.Equal(signature, wanted) {
			return true
		}
	}
	return false
}
