// Package controller decides what becomes of a candidate: total, deterministic, with reasons.
package controller
