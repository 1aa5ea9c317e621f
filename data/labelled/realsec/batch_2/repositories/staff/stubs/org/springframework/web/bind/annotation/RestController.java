package org.springframework.web.bind.annotation;

/** Stands for the annotation of that name. */
public @interface RestController {
}
